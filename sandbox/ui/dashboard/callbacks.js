import { badge } from './badge.js';
import { control, controlPage } from './call.js';
import { openDialog } from './dialog.js';
import { field } from './form.js';
import { formatAmount, formatCount, formatWord } from './format.js';
import { make, setText } from './make.js';
import { tellNews } from './news.js';
import { actionButton, problemLine } from './problem.js';
import { rows } from './rows.js';
import { card, hint, link } from './section.js';
import { settingsForm } from './settingsForm.js';
import { emptyState, table } from './table.js';
import { time } from './time.js';

const FORMATS = [
	['json', 'JSON'],
	['form', 'Form fields'],
];
const PAGE = 50;
/** What one answer holds at most. */
const MOST = 1000;

/** Where the service posts what happens, and every attempt to do so. */
export const callbacks = {
	title: 'Callbacks',
	kinds: ['callbacks', 'settings'],
	open(start) {
		let limit = PAGE;
		let panel;
		const url = (one) =>
			field({ kind: 'url', wide: true, empty: null, attributes: { placeholder: 'http://' }, ...one });
		const outgoing = settingsForm([
			url({
				name: 'callback_url',
				label: 'Callback URL',
				hint: 'Gets delivery receipts and low-balance alerts. Empty: nothing is posted.',
			}),
			field({
				name: 'low_balance_threshold',
				label: 'Alert below a balance of',
				kind: 'number',
				hint: 'Empty: never',
				empty: null,
				attributes: { min: 0 },
			}),
			field({
				name: 'callback_shape',
				label: 'Fields laid out',
				kind: 'select',
				options: [
					['flat', 'flat'],
					['data', 'below “data”'],
					['message', 'below “message”'],
					['pascal', 'in PascalCase'],
					['whole_message', 'the whole message'],
				],
			}),
			field({ name: 'callback_format', label: 'Posted as', kind: 'select', options: FORMATS }),
			field({
				name: 'callback_delay',
				label: 'Wait before the first post',
				kind: 'number',
				hint: 'Milliseconds',
				attributes: { min: 0, step: 1 },
			}),
			field({
				name: 'callback_copies',
				label: 'Post each so many times',
				kind: 'number',
				hint: '1 to 10',
				attributes: { min: 1, max: 10, step: 1 },
			}),
			field({
				name: 'callback_reordered',
				label: 'Out of order: “sent” comes after “delivered”',
				kind: 'check',
			}),
		]);
		const incoming = settingsForm([
			url({
				name: 'inbound_url',
				label: 'Inbound URL',
				hint: 'Where texts from the phones are posted, e.g. the address of your n8n or Zapier trigger. Empty: the service’s own inbox.',
			}),
			field({ name: 'inbound_format', label: 'Posted as', kind: 'select', options: FORMATS }),
			field({ name: 'inbound_status', label: 'With an ID and a status of their own', kind: 'check' }),
			field({
				name: 'inbound_urls',
				label: 'Further inbound URLs',
				kind: 'lines',
				hint: 'One a line: texts are posted there as well.',
				wide: true,
			}),
			field({
				name: 'inbound_to_service',
				label: 'Also deliver them to the service itself',
				kind: 'check',
				hint: 'So that they are in the inbox and STOP opts out, whatever the inbound URL does with them.',
			}),
			field({
				name: 'allow_outside_urls',
				label: 'Also post to other machines than this one',
				kind: 'check',
				hint: 'Off, nothing leaves this computer.',
			}),
		]);
		const list = table({
			caption: 'Receipts, alerts and people’s texts, newest first',
			keyOf: ({ id }) => id,
			columns: [
				{ title: 'What happened', lead: true, wide: true, draw: drawEvent },
				{ title: 'Posted to', wide: true, draw: (one) => make('span', { class: 'code breakable' }, one.url) },
				{ title: 'Status', draw: ({ status }) => badge(status) },
				{ title: 'Attempts', number: true, draw: ({ attempt_count }) => String(attempt_count) },
				{ title: 'Time', draw: ({ created_at }) => time(created_at) },
				{ title: 'Actions', hideTitle: true, draw: (one) => replayButton(one, refresh) },
			],
			empty: emptyState(
				'Nothing has been posted yet',
				'Set a callback URL above, then send a message from the ',
				link('overview', 'overview'),
				': its receipts appear here, and so do texts that are posted to your inbound URLs.',
			),
		});
		const count = make('p', { class: 'hint', role: 'status' });
		const more = make('button', { type: 'button', hidden: true }, 'Show more');
		more.addEventListener('click', () => {
			limit += PAGE;
			void refresh();
		});
		const element = make(
			'div',
			{},
			make(
				'div',
				{ class: 'columns even' },
				card('What the service posts', outgoing.element),
				card('What people text', incoming.element),
			),
			make('h2', { class: 'list-title' }, 'Posted so far'),
			list.element,
			make('div', { class: 'buttons' }, more, count),
		);

		async function refresh() {
			const [settings, { items, total }] = await Promise.all([
				control('GET', 'settings'),
				controlPage(`callbacks?limit=${limit}`),
			]);
			outgoing.show(settings);
			// The control route gives the service's own inbox where nothing is set.
			const own = settings.inbound_url === `${location.origin}/webhooks/inbound/sms`;
			incoming.show({ ...settings, inbound_url: own ? null : settings.inbound_url });
			list.show(items);
			more.hidden = items.length >= total || limit >= MOST;
			setText(count, total === 0 ? '' : `${formatCount(items.length)} of ${formatCount(total)} shown`);
			await panel?.refresh();
		}

		function move({ id }) {
			if (panel?.id === id) return;
			panel?.close();
			panel = id ? openPanel(id) : undefined;
		}
		if (start.id) queueMicrotask(() => move(start));
		return { element, refresh, move, close: () => panel?.close() };
	},
};

function describe({ event, fact }) {
	if (event === 'wallet.low_balance') return `Low balance: ${formatAmount(Number(fact.balance))}`;
	if (event === 'sms.inbound') return `Text: ${fact.message}`;
	if (event === 'whatsapp.inbound') return `WhatsApp message: ${fact.message}`;
	return `Receipt: ${formatWord(fact.status ?? '')}`;
}

function drawEvent(one) {
	const { id, fact, event } = one;
	const who = { 'message.status': fact.to, 'sms.inbound': fact.from, 'whatsapp.inbound': fact.from }[event];
	const below = who ? make('span', { class: 'sub' }, String(who)) : null;
	return make('span', {}, make('a', { href: `/#/callbacks/${id}`, class: 'text', dir: 'auto' }, describe(one)), below);
}

function replayButton({ id }, after) {
	return actionButton({
		words: 'Replay',
		label: `Replay callback ${id}`,
		look: 'small',
		act: async () => {
			await control('POST', `callbacks/${id}/replay`);
			tellNews('It is posted once more');
			await after();
		},
	});
}

/** Opens the panel with every attempt of one callback. */
function openPanel(id) {
	const { element: problem, say } = problemLine();
	const head = make('div', {});
	const attempts = make('ol', { class: 'attempts' });
	const none = hint('Not posted yet.');
	const show = rows(attempts, (attempt) => attempt.id, drawAttempt);
	const dialog = openDialog({
		title: 'Callback',
		side: true,
		content: [
			problem,
			head,
			make('div', { class: 'buttons' }, replayButton({ id }, refresh)),
			make('h3', {}, 'Attempts'),
			none,
			attempts,
		],
		onClose: () => {
			if (location.hash === `#/callbacks/${encodeURIComponent(id)}`) location.hash = '#/callbacks';
		},
	});
	let shown = '';

	async function refresh() {
		try {
			const callback = await control('GET', `callbacks/${encodeURIComponent(id)}`);
			const { attempts: all, ...rest } = callback;
			if (JSON.stringify(rest) !== shown) head.replaceChildren(...drawHead(rest));
			shown = JSON.stringify(rest);
			none.hidden = all.length > 0;
			show(all.toReversed().map((attempt, index) => ({ ...attempt, number: all.length - index })));
			say('');
		} catch (error) {
			say(error.message);
		}
	}
	void refresh();
	return { id, refresh, close: () => dialog.close() };
}

function drawHead(callback) {
	const { status, url, message_id, next_attempt_at } = callback;
	const facts = [
		['Posted to', make('span', { class: 'code breakable' }, url)],
		...(message_id ? [['Message', link(message_id, `messages/${encodeURIComponent(message_id)}`)]] : []),
		...(next_attempt_at ? [['Next attempt', time(next_attempt_at)]] : []),
	];
	return [
		make('p', { class: 'panel-status' }, make('strong', {}, describe(callback)), ' ', badge(status)),
		make('dl', { class: 'facts' }, ...facts.flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value)])),
	];
}

function drawAttempt({ number, at, request, http_status, answer, problem, milliseconds }) {
	const block = (text) => make('pre', { tabindex: '0' }, make('code', {}, text));
	return make(
		'li',
		{},
		make(
			'p',
			{ class: 'attempt-head' },
			make('strong', {}, `${number}.`),
			badge(problem ? 'failed' : 'delivered', http_status === null ? 'no answer' : String(http_status)),
			time(at),
			make('span', { class: 'sub' }, `${milliseconds} ms`),
		),
		problem && make('p', { class: 'problem' }, problem),
		make('h4', {}, `Request, ${request.content_type}`),
		block(pretty(request.body, request.content_type)),
		make('h4', {}, 'Answer'),
		answer ? block(answer) : make('p', { class: 'hint' }, http_status === null ? 'None came.' : 'Without a body.'),
	);
}

function pretty(body, contentType) {
	try {
		if (contentType.includes('json')) return JSON.stringify(JSON.parse(body), null, 2);
		return [...new URLSearchParams(body)].map(([name, value]) => `${name} = ${value}`).join('\n');
	} catch {
		return body;
	}
}
