import { control } from './call.js';
import { formatCount } from './format.js';
import { make, setText } from './make.js';
import { table } from './table.js';
import { time } from './time.js';

/** Makes a list of the bulk sends with their progress. Hidden if there are none. */
export function bulkSends() {
	const summary = make('summary', {});
	const list = table({
		caption: 'Bulk sends, newest first',
		keyOf: ({ batch_id }) => batch_id,
		columns: [
			{ title: 'Text', lead: true, wide: true, draw: drawText },
			{ title: 'From', draw: ({ sender_id }) => sender_id },
			{ title: 'Queued', number: true, draw: ({ made, total }) => `${formatCount(made)} of ${formatCount(total)}` },
			{ title: 'From packages', number: true, draw: ({ paid_by_packages }) => formatCount(paid_by_packages) },
			{ title: 'Send time', draw: ({ scheduled_at, created_at }) => time(scheduled_at ?? created_at) },
		],
		empty: make('p', {}, 'None.'),
	});
	const element = make('details', { class: 'bulk', hidden: true }, summary, list.element);
	return {
		element,
		refresh: async () => {
			const batches = await control('GET', 'batches');
			element.hidden = batches.length === 0;
			setText(summary, batches.length === 1 ? '1 bulk send' : `${formatCount(batches.length)} bulk sends`);
			list.show(batches.toSorted((one, other) => other.created_at.localeCompare(one.created_at)).slice(0, 50));
		},
	};
}

function drawText({ batch_id, message }) {
	return make('a', { href: `/#/messages?batch=${encodeURIComponent(batch_id)}`, class: 'text', dir: 'auto' }, message);
}
