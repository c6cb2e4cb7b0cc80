import { make } from './make.js';
import { rows } from './rows.js';

/**
 * Makes a table that becomes a list of cards on a narrow screen.
 * @param {object} options
 * @param {string} options.caption names the list for screen readers
 * @param {readonly {title: string, draw: (item: any) => Node | string | number, number?: boolean, wide?: boolean,
 * lead?: boolean, hideTitle?: boolean}[]} options.columns
 * @param {(item: any) => string | number} options.keyOf
 * @param {Node} options.empty shown instead if the list is empty
 */
export function table({ caption, columns, keyOf, empty }) {
	const heads = columns.map(({ title, number, hideTitle }) =>
		make('th', { scope: 'col', class: number ? 'number' : false }, hideTitle ? hidden(title) : title),
	);
	const body = make('tbody', { role: 'rowgroup' });
	const whole = make(
		'table',
		{ role: 'table' },
		make('caption', { class: 'hidden' }, caption),
		make('thead', { role: 'rowgroup' }, make('tr', { role: 'row' }, ...heads)),
		body,
	);
	const show = rows(body, keyOf, (item) =>
		make('tr', { role: 'row' }, ...columns.map((column) => cell(column, column.draw(item)))),
	);
	const emptyState = make('div', { class: 'empty', hidden: true }, empty);
	const element = make('div', { class: 'table' }, whole, emptyState);
	whole.hidden = true;
	return {
		element,
		show: (items) => {
			show(items);
			whole.hidden = items.length === 0;
			emptyState.hidden = items.length > 0;
		},
	};
}

// As cards, the parts of a table would lose their roles, so they are explicit.
function cell({ title, number, wide, lead, hideTitle }, content) {
	const classes = [number && 'number', wide && 'wide', lead && 'lead', hideTitle && 'actions']
		.filter(Boolean)
		.join(' ');
	return make('td', { role: 'cell', class: classes || false, 'data-title': hideTitle ? false : title }, content);
}

function hidden(text) {
	return make('span', { class: 'hidden' }, text);
}

/** Makes the content of an empty list: a title, and what to do. */
export function emptyState(title, ...hint) {
	return make('div', {}, make('p', { class: 'empty-title' }, title), make('p', {}, ...hint));
}
