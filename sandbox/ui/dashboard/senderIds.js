import { badge } from './badge.js';
import { control } from './call.js';
import { field, form } from './form.js';
import { make } from './make.js';
import { showToast } from './toast.js';
import { actionButton } from './problem.js';
import { card, hint } from './section.js';
import { emptyState, table } from './table.js';
import { time } from './time.js';

const DECISIONS = { approved: 'Approve', rejected: 'Reject' };

/** The sender IDs, with their approval. */
export const senderIds = {
	title: 'Sender IDs',
	kinds: ['sender_ids'],
	open() {
		const name = field({
			name: 'name',
			label: 'Name',
			required: true,
			hint: '3 to 11 letters and digits, e.g. AMASHOP, or a short code of 3 to 6 digits',
			attributes: { maxlength: 11 },
		});
		const requesting = form({
			fields: [name],
			action: 'Request',
			layout: 'line',
			submit: async (values) => {
				await control('POST', 'sender-ids', values);
				showToast(`${values.name} was requested`);
				await refresh();
			},
		});
		const list = table({
			caption: 'Sender IDs',
			keyOf: (one) => one.name,
			columns: [
				{ title: 'Name', lead: true, draw: (one) => make('strong', {}, one.name) },
				{ title: 'Status', draw: ({ status }) => badge(status) },
				{ title: 'Requested', draw: ({ created_at }) => time(created_at) },
				{ title: 'Actions', hideTitle: true, draw: drawActions },
			],
			empty: emptyState('No sender IDs yet', 'Request one above, then approve it here.'),
		});

		function drawActions(one) {
			const wanted = Object.entries(DECISIONS).filter(([status]) => status !== one.status);
			const decide = async (status) => {
				await control('PUT', `sender-ids/${encodeURIComponent(one.name)}`, { status });
				showToast(`${one.name} is ${status}`);
				await refresh();
			};
			return make(
				'span',
				{ class: 'buttons' },
				...wanted.map(([status, words]) =>
					actionButton({ words, label: `${words} ${one.name}`, look: 'small', act: async () => await decide(status) }),
				),
			);
		}

		async function refresh() {
			list.show(await control('GET', 'sender-ids/all'));
		}
		return {
			element: make(
				'div',
				{},
				card(
					'Request a sender ID',
					hint('The name that people see instead of a number. Normally the networks approve it. Here you do.'),
					requesting.element,
				),
				list.element,
			),
			refresh,
		};
	},
};
