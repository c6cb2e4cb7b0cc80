import { control } from './call.js';
import { copyButton } from './copyButton.js';
import { make } from './make.js';
import { hint } from './section.js';
import { emptyState, table } from './table.js';

const KINDS = {
	number: ['Phone numbers', 'Send to one of these and see how your workflow handles it.'],
	code: ['One-time codes', 'Check a verification with one of these.'],
	amount: ['Top-up amounts', 'Create a top-up with such an amount and open its checkout.'],
	email: ['Email addresses', 'Send an email to such an address.'],
};

/** The values that make the sandbox respond in a special way. */
export const magicValues = {
	title: 'Magic values',
	kinds: [],
	open() {
		const lists = make('div', {});
		return {
			element: make('div', {}, hint('Values with a fixed effect, so you can test every case.'), lists),
			refresh: async () => {
				if (lists.childElementCount > 0) return;
				const groups = Map.groupBy(await control('GET', 'magic-values'), ({ kind }) => kind);
				lists.replaceChildren(...[...groups].flatMap(drawGroup));
			},
		};
	},
};

function drawGroup([kind, values]) {
	const [title, text] = KINDS[kind] ?? [kind, ''];
	const list = table({
		caption: title,
		keyOf: ({ value }) => value,
		columns: [
			{ title: 'Value', lead: true, draw: ({ value }) => make('span', { class: 'code' }, value) },
			{ title: 'What happens', wide: true, draw: ({ effect }) => effect },
			...(kind === 'number' || kind === 'code'
				? [{ title: 'Actions', hideTitle: true, draw: ({ value }) => copyButton(() => value, value) }]
				: []),
		],
		empty: emptyState('None', ''),
	});
	list.show(values);
	return [make('h2', { class: 'list-title' }, title), hint(text), list.element];
}
