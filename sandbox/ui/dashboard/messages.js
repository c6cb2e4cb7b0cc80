import { walletCurrency } from './access.js';
import { badge, channelName } from './badge.js';
import { bulkSends } from './bulkSends.js';
import { control, controlPage } from './call.js';
import { openDialog } from './dialog.js';
import { field } from './form.js';
import { formatAmount, formatCount, formatMoney, formatWord } from './format.js';
import { make, setText } from './make.js';
import { actionButton, problemLine } from './problem.js';
import { link } from './section.js';
import { emptyState, table } from './table.js';
import { time } from './time.js';

const PAGE = 50;
/** Limit of one response. To see other messages, narrow the search. */
const MAX_ITEMS = 1000;
const ALL = ['', 'All'];
const channels = ['sms', 'whatsapp', 'email', 'voice'].map((channel) => [channel, channelName(channel)]);
const statuses = ['queued', 'submitted', 'sent', 'delivered', 'failed'].map((status) => [status, status]);

/** Every message, with the timeline of each in a side panel. */
export const messages = {
	title: 'Messages',
	kinds: ['messages', 'callbacks', 'batches'],
	open(start) {
		const search = field({
			name: 'search',
			label: 'Search',
			hint: 'Part of the text, number or address',
			attributes: { type: 'search', maxlength: 200 },
			wide: true,
		});
		const channel = field({ name: 'channel', label: 'Channel', kind: 'select', options: [ALL, ...channels] });
		const status = field({ name: 'status', label: 'Status', kind: 'select', options: [ALL, ...statuses] });
		const filters = [search, channel, status];
		let limit = PAGE;
		let panel;
		let batch = start.query.get('batch') ?? '';
		const bulk = bulkSends();
		const list = table({
			caption: 'Messages, newest first',
			keyOf: ({ message_id }) => message_id,
			columns: [
				{ title: 'Text', wide: true, lead: true, draw: drawText },
				{ title: 'To', draw: ({ to }) => make('span', { class: 'figures' }, to) },
				{ title: 'From', draw: ({ sender_id }) => make('span', { class: 'figures' }, sender_id) },
				{ title: 'Channel', draw: (one) => channelName(one.channel) },
				{ title: 'Status', draw: (one) => badge(one.status) },
				{ title: `Cost (${walletCurrency})`, number: true, draw: drawCost },
				{ title: 'Time', draw: ({ created_at }) => time(created_at) },
			],
			empty: make('div', {}),
		});
		const nothing = list.element.querySelector('.empty');
		const count = make('p', { class: 'hint', role: 'status' });
		const more = make('button', { type: 'button', hidden: true }, 'Show more');
		more.addEventListener('click', () => {
			limit += PAGE;
			void refresh();
		});
		const bar = make('form', { class: 'filters', role: 'search' }, ...filters.map(({ element }) => element));
		bar.addEventListener('submit', (event) => event.preventDefault());
		bar.addEventListener('input', () => {
			limit = PAGE;
			void refresh();
		});
		const leaveBatch = make('button', { type: 'button', class: 'small' }, 'Show all messages');
		const onlyBatch = make('p', { class: 'buttons only', hidden: true }, 'Only messages of one bulk send', leaveBatch);
		leaveBatch.addEventListener('click', () => {
			batch = '';
			location.hash = '#/messages';
			void refresh();
			search.input.focus();
		});
		const { element: problem, say } = problemLine();
		const element = make(
			'div',
			{},
			bar,
			onlyBatch,
			bulk.element,
			problem,
			list.element,
			make('div', { class: 'buttons' }, more, count),
		);

		function query() {
			const asked = new URLSearchParams();
			if (search.read()) asked.set('search', search.read());
			if (channel.read()) asked.set('channel', channel.read());
			if (status.read()) asked.set('status', status.read());
			if (batch) asked.set('batch_id', batch);
			return asked;
		}

		async function refresh() {
			const asked = query();
			const filtered = asked.size > 0;
			asked.set('limit', String(limit));
			onlyBatch.hidden = batch === '';
			let found;
			try {
				await bulk.refresh();
				found = await controlPage(`messages?${asked}`);
				say('');
			} catch (error) {
				say(error.message);
				return;
			}
			// The response to an older request may come after the newer one's.
			const now = query();
			now.set('limit', String(limit));
			if (String(now) !== String(asked)) return;
			nothing.replaceChildren(filtered ? noMatch() : noMessages());
			const { items, total } = found;
			list.show(items);
			more.hidden = items.length >= total || limit >= MAX_ITEMS;
			setText(count, total === 0 ? '' : `${formatCount(items.length)} of ${formatCount(total)} shown, newest first`);
			await panel?.refresh();
		}

		function noMatch() {
			const clear = make('button', { type: 'button' }, 'Show all');
			clear.addEventListener('click', () => {
				for (const one of filters) one.write('');
				batch = '';
				void refresh();
				search.input.focus();
			});
			return make('div', {}, emptyState('No messages match', 'Try fewer words, or all statuses.'), clear);
		}

		function move({ id, query: filter }) {
			if (!id) {
				panel?.close();
				panel = undefined;
			} else if (panel?.id !== id) {
				panel?.close();
				panel = openPanel(id);
			}
			if (filter.size === 0) return;
			batch = filter.get('batch') ?? '';
			channel.write(filter.get('channel') ?? '');
			status.write(filter.get('status') ?? '');
			search.write(filter.get('search') ?? '');
			void refresh();
		}
		// Set the filters before the first request.
		for (const one of filters) one.write(start.query.get(one.name) ?? '');
		if (start.id) queueMicrotask(() => move({ id: start.id, query: new URLSearchParams() }));
		return { element, refresh, move, close: () => panel?.close() };
	},
};

function noMessages() {
	return emptyState(
		'No messages yet',
		'Send the first one from the ',
		link('overview', 'overview'),
		', or connect n8n or Zapier with the base URL and key shown there.',
	);
}

function drawText({ message_id, message, subject }) {
	return make(
		'a',
		{ href: `/#/messages/${encodeURIComponent(message_id)}`, class: 'text', dir: 'auto' },
		subject ? `${subject}: ${message}` : message,
	);
}

function drawCost({ cost, billed_via, status }) {
	if (billed_via === 'package') return 'package';
	const refunded = status === 'failed' && make('span', { class: 'sub' }, 'refunded');
	return make('span', {}, formatAmount(cost), refunded);
}

const NEXT = { queued: ['submitted', 'sent', 'delivered', 'failed'], submitted: ['sent', 'delivered', 'failed'] };
NEXT.sent = ['delivered', 'failed'];

/** Opens the panel of one message. */
function openPanel(id) {
	const body = make('div', {});
	const { element: problem, say } = problemLine();
	let shown = '';
	const dialog = openDialog({
		title: 'Message',
		side: true,
		content: [problem, body],
		onClose: () => {
			// The filters stay. Only the message leaves the URL.
			if (location.hash === `#/messages/${encodeURIComponent(id)}`) location.hash = '#/messages';
		},
	});

	async function refresh() {
		try {
			const message = await control('GET', `messages/${encodeURIComponent(id)}`);
			const content = JSON.stringify(message);
			if (content === shown) return;
			shown = content;
			const focused = document.activeElement?.closest('dialog') === dialog && document.activeElement.textContent;
			body.replaceChildren(...draw(message));
			// The panel is redrawn, so focus the button with the same label.
			const same = [...body.querySelectorAll('button, a')].find(({ textContent }) => textContent === focused);
			if (focused && same) same.focus();
			else if (focused && document.activeElement === document.body) dialog.querySelector('h2').focus();
		} catch (error) {
			say(error.message);
		}
	}
	void refresh();
	return { id, refresh, close: () => dialog.close() };
}

function draw(message) {
	const { message_id, channel, subject, to, sender_id, cost, billed_via, segments, priority, batch_id } = message;
	const facts = [
		['To', link(to, `phone/${encodeURIComponent(to)}`)],
		['From', sender_id],
		['Channel', channelName(channel)],
		['Cost', billed_via === 'package' ? 'from a package' : formatMoney(cost)],
		['Segments', String(segments)],
		['Route', priority ? 'priority' : 'normal'],
		...(batch_id ? [['Bulk send', make('span', { class: 'code' }, batch_id)]] : []),
		['Message ID', make('span', { class: 'code' }, message_id)],
	];
	const next = NEXT[message.status] ?? [];
	return [
		make('p', { class: 'panel-status' }, badge(message.status)),
		subject && make('p', { class: 'subject', dir: 'auto' }, subject),
		make('p', { class: 'quote', dir: 'auto' }, message.message),
		make('h3', {}, 'Timeline'),
		make(
			'ol',
			{ class: 'timeline' },
			...message.timeline.map(({ status, at }) =>
				make('li', { 'data-status': status }, make('strong', {}, formatWord(status)), time(at)),
			),
		),
		next.length > 0 && make('p', { class: 'hint' }, 'Set the next status yourself instead of waiting.'),
		next.length > 0 &&
			make(
				'div',
				{ class: 'buttons' },
				...next.map((status) =>
					actionButton({
						words: `Mark as ${status}`,
						act: async () => await control('POST', `messages/${encodeURIComponent(message_id)}/status`, { status }),
					}),
				),
			),
		make('h3', {}, 'Details'),
		make('dl', { class: 'facts' }, ...facts.flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value)])),
		make('h3', {}, 'Callbacks'),
		message.callbacks.length === 0
			? make('p', { class: 'hint' }, 'None. To get receipts, set a ', link('callback URL', 'callbacks'), '.')
			: make(
					'ul',
					{ class: 'plain-list' },
					...message.callbacks.map(({ id, fact, status }) =>
						make('li', {}, link(`Receipt: ${formatWord(fact.status ?? '')}`, `callbacks/${id}`), ' ', badge(status)),
					),
				),
	].filter(Boolean);
}
