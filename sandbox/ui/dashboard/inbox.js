import { badge, channelName } from './badge.js';
import { control } from './call.js';
import { make } from './make.js';
import { hint, link } from './section.js';
import { emptyState, table } from './table.js';
import { time } from './time.js';

const KEYWORDS = { opt_out: 'opted out', opt_in: 'opted in' };

/** The inbound messages. */
export const inbox = {
	title: 'Inbox',
	kinds: ['inbox'],
	open() {
		const list = table({
			caption: 'Inbound messages, newest first',
			keyOf: ({ id }) => id,
			columns: [
				{
					title: 'Text',
					wide: true,
					lead: true,
					draw: ({ message }) => make('span', { class: 'text', dir: 'auto' }, message),
				},
				{ title: 'From', draw: ({ from }) => drawNumber(from) },
				{ title: 'To', draw: ({ to }) => to },
				{ title: 'Channel', draw: ({ channel }) => channelName(channel) },
				{
					title: 'Effect',
					draw: ({ keyword }) => (keyword ? badge(keyword, KEYWORDS[keyword] ?? keyword) : '–'),
				},
				{ title: 'Time', draw: ({ received_at }) => time(received_at) },
			],
			empty: emptyState('No inbound messages yet', 'Open the ', link('phone', 'phone'), ' and send one from it.'),
		});
		return {
			element: make('div', {}, hint('Messages from people to your sender IDs and numbers.'), list.element),
			refresh: async () => list.show(await control('GET', 'inbox')),
		};
	},
};

function drawNumber(number) {
	return /^\+\d+$/.test(number)
		? make('a', { href: `/#/phone/${encodeURIComponent(number)}`, class: 'figures' }, number)
		: number;
}
