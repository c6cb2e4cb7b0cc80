import { walletCurrency } from './access.js';
import { badge } from './badge.js';
import { control, controlPage } from './call.js';
import { openDialog } from './dialog.js';
import { field } from './form.js';
import { formatCount, formatMoney, formatWord } from './format.js';
import { make, setText } from './make.js';
import { showToast } from './toast.js';
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
/** Limit of one response. */
const MAX_ITEMS = 1000;

/** The URLs for receipts, alerts and inbound messages, and every attempt to deliver them. */
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
				hint: 'Gets delivery receipts and low-balance alerts. Empty: none are sent.',
			}),
			field({
				name: 'low_balance_threshold',
				label: `Low-balance threshold (${walletCurrency})`,
				kind: 'number',
				hint: 'Sends an alert when the balance drops below this amount. Empty: never.',
				empty: null,
				attributes: { min: 0 },
			}),
			field({
				name: 'callback_shape',
				label: 'Field layout',
				kind: 'select',
				options: [
					['flat', 'flat'],
					['data', 'under “data”'],
					['message', 'under “message”'],
					['pascal', 'in PascalCase'],
					['whole_message', 'the whole message'],
				],
			}),
			field({ name: 'callback_format', label: 'Format', kind: 'select', options: FORMATS }),
			field({
				name: 'callback_delay',
				label: 'Delay before sending (ms)',
				kind: 'number',
				attributes: { min: 0, step: 1 },
			}),
			field({
				name: 'callback_copies',
				label: 'Copies of each',
				kind: 'number',
				hint: '1 to 10',
				attributes: { min: 1, max: 10, step: 1 },
			}),
			field({
				name: 'callback_reordered',
				label: 'Out of order: “sent” arrives after “delivered”',
				kind: 'check',
			}),
		]);
		const incoming = settingsForm([
			url({
				name: 'inbound_url',
				label: 'Inbound URL',
				hint: 'Gets messages from the phones. Enter the URL of your n8n or Zapier trigger. Empty: the service’s own inbox.',
			}),
			field({ name: 'inbound_format', label: 'Format', kind: 'select', options: FORMATS }),
			field({ name: 'inbound_status', label: 'Include an ID and a status', kind: 'check' }),
			field({
				name: 'inbound_urls',
				label: 'More inbound URLs',
				kind: 'lines',
				hint: 'One URL per line. Messages go to these as well.',
				wide: true,
			}),
			field({
				name: 'inbound_to_service',
				label: 'Also deliver to the service itself',
				kind: 'check',
				hint: 'Messages then reach the inbox, and STOP opts out, whatever the inbound URL does.',
			}),
			field({
				name: 'allow_outside_urls',
				label: 'Allow requests to other machines',
				kind: 'check',
				hint: 'If off, nothing leaves this computer.',
			}),
		]);
		const list = table({
			caption: 'Receipts, alerts and inbound messages, newest first',
			keyOf: ({ id }) => id,
			columns: [
				{ title: 'Event', lead: true, wide: true, draw: drawEvent },
				{ title: 'URL', wide: true, draw: (one) => make('span', { class: 'code breakable' }, one.url) },
				{ title: 'Status', draw: ({ status }) => badge(status) },
				{ title: 'Attempts', number: true, draw: ({ attempt_count }) => String(attempt_count) },
				{ title: 'Time', draw: ({ created_at }) => time(created_at) },
				{ title: 'Actions', hideTitle: true, draw: (one) => replayButton(one, refresh) },
			],
			empty: emptyState(
				'Nothing has been sent yet',
				'Set a callback URL above, then send a message from the ',
				link('overview', 'overview'),
				'. Its receipts appear here. Messages from the phones to your inbound URLs appear here, too.',
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
				card('Receipts and alerts', outgoing.element),
				card('Inbound messages', incoming.element),
			),
			make('h2', { class: 'list-title' }, 'Deliveries'),
			list.element,
			make('div', { class: 'buttons' }, more, count),
		);

		async function refresh() {
			const [settings, { items, total }] = await Promise.all([
				control('GET', 'settings'),
				controlPage(`callbacks?limit=${limit}`),
			]);
			outgoing.show(settings);
			// The control route returns the service's own webhook if no URL is set.
			const own = settings.inbound_url === `${location.origin}/webhooks/inbound/sms`;
			incoming.show({ ...settings, inbound_url: own ? null : settings.inbound_url });
			list.show(items);
			more.hidden = items.length >= total || limit >= MAX_ITEMS;
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
	if (event === 'wallet.low_balance') return `Low balance: ${formatMoney(Number(fact.balance))}`;
	if (event === 'sms.inbound') return `SMS: ${fact.message}`;
	if (event === 'whatsapp.inbound') return `WhatsApp: ${fact.message}`;
	return `Receipt: ${formatWord(fact.status ?? '')}`;
}

function drawEvent(one) {
	const { id, fact, event } = one;
	const party = { 'message.status': fact.to, 'sms.inbound': fact.from, 'whatsapp.inbound': fact.from }[event];
	const below = party ? make('span', { class: 'sub' }, String(party)) : null;
	return make('span', {}, make('a', { href: `/#/callbacks/${id}`, class: 'text', dir: 'auto' }, describe(one)), below);
}

function replayButton({ id }, after) {
	return actionButton({
		words: 'Replay',
		label: `Replay callback ${id}`,
		look: 'small',
		act: async () => {
			await control('POST', `callbacks/${id}/replay`);
			showToast('Replay started');
			await after();
		},
	});
}

/** Opens the panel of one callback, with every attempt. */
function openPanel(id) {
	const { element: problem, say } = problemLine();
	const head = make('div', {});
	const attempts = make('ol', { class: 'attempts' });
	const none = hint('Not sent yet.');
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
		['URL', make('span', { class: 'code breakable' }, url)],
		...(message_id ? [['Message', link(message_id, `messages/${encodeURIComponent(message_id)}`)]] : []),
		...(next_attempt_at ? [['Next attempt', time(next_attempt_at)]] : []),
	];
	return [
		make('p', { class: 'panel-status' }, make('strong', {}, describe(callback)), ' ', badge(status)),
		make('dl', { class: 'facts' }, ...facts.flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value)])),
	];
}

function drawAttempt({ number, at, request, http_status, answer: responseBody, problem, milliseconds }) {
	const block = (text) => make('pre', { tabindex: '0' }, make('code', {}, text));
	return make(
		'li',
		{},
		make(
			'p',
			{ class: 'attempt-head' },
			make('strong', {}, `${number}.`),
			badge(problem ? 'failed' : 'delivered', http_status === null ? 'no response' : String(http_status)),
			time(at),
			make('span', { class: 'sub' }, `${milliseconds} ms`),
		),
		problem && make('p', { class: 'problem' }, problem),
		make('h4', {}, `Request, ${request.content_type}`),
		block(pretty(request.body, request.content_type)),
		make('h4', {}, 'Response'),
		responseBody
			? block(responseBody)
			: make('p', { class: 'hint' }, http_status === null ? 'No response.' : 'Empty body.'),
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
