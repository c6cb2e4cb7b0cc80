import { control } from './call.js';
import { field, form } from './form.js';
import { make } from './make.js';
import { showToast } from './toast.js';
import { actionButton } from './problem.js';
import { card, hint } from './section.js';
import { emptyState, table } from './table.js';
import { time } from './time.js';

/** The numbers that have opted out. */
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
				showToast(`Opted out: ${values.number}`);
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
								showToast(`Opted back in: ${one.number}`);
							},
						}),
				},
			],
			empty: emptyState(
				'No opt-outs yet',
				'A number that sends STOP appears here. The service rejects messages to it.',
			),
		});
		return {
			element: make(
				'div',
				{},
				card(
					'Add an opt-out',
					hint('The service then rejects messages to this number with a 422, at no cost.'),
					adding.element,
				),
				list.element,
			),
			refresh: async () => list.show(await control('GET', 'opt-outs')),
		};
	},
};
