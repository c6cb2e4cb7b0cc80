import { control } from './call.js';
import { field, form } from './form.js';
import { make } from './make.js';
import { tellNews } from './news.js';
import { actionButton } from './problem.js';
import { card, hint } from './section.js';
import { emptyState, table } from './table.js';
import { time } from './time.js';

/** The numbers that want no more texts. */
export const optOuts = {
	title: 'Opt-outs',
	kinds: ['opt_outs'],
	open() {
		const number = field({ name: 'number', label: 'Phone number', kind: 'tel', required: true, value: '' });
		const adding = form({
			fields: [number],
			action: 'Add',
			layout: 'line',
			submit: async (values) => {
				list.show(await control('POST', 'opt-outs', values));
				tellNews(`${values.number} has opted out`);
			},
		});
		const list = table({
			caption: 'Numbers that have opted out',
			keyOf: (one) => one.number,
			columns: [
				{ title: 'Number', lead: true, draw: (one) => make('span', { class: 'figures' }, one.number) },
				{ title: 'Since', draw: ({ created_at }) => time(created_at) },
				{
					title: 'Actions',
					hideTitle: true,
					draw: (one) =>
						actionButton({
							words: 'Remove',
							label: `Remove ${one.number}`,
							look: 'small',
							act: async () => {
								list.show(await control('DELETE', `opt-outs/${encodeURIComponent(one.number)}`));
								tellNews(`${one.number} gets texts again`);
							},
						}),
				},
			],
			empty: emptyState('Nobody has opted out', 'Somebody who texts STOP appears here, and sends to them are refused.'),
		});
		return {
			element: make(
				'div',
				{},
				card('Opt a number out', hint('A send to it is then refused with 422 and costs nothing.'), adding.element),
				list.element,
			),
			refresh: async () => list.show(await control('GET', 'opt-outs')),
		};
	},
};
