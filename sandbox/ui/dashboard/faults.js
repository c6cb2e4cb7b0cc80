import { endpointList } from './access.js';
import { badge } from './badge.js';
import { control } from './call.js';
import { field, form, makeOptions } from './form.js';
import { make } from './make.js';
import { showToast } from './toast.js';
import { actionButton } from './problem.js';
import { rows } from './rows.js';
import { card, hint, link } from './section.js';
import { settingsForm } from './settingsForm.js';
import { emptyState, table } from './table.js';
import { time } from './time.js';

/** Labels of the faults in a response. */
const RESPONSE_KINDS = {
	answer: 'Respond with an error',
	html: 'Respond with a web page instead of JSON',
	drop_before: 'Cut the connection before handling the request',
	drop_after: 'Handle and charge the request, then cut the connection',
	truncate: 'Handle the request, then cut the connection in the middle of the response',
	half_json: 'Handle the request, then respond with half of the JSON',
	delay: 'Wait, then respond',
	hang: 'Never respond',
};

/** Labels of the faults in a webhook that the sandbox sends. */
const DELIVERY_KINDS = {
	post_copies: 'Deliver it more than once',
	post_late: 'Deliver it later',
	post_reordered: 'Deliver it after the next one',
	post_form: 'Deliver it as form fields',
};
const KINDS = { ...RESPONSE_KINDS, ...DELIVERY_KINDS };
const INBOUND_EVENTS = [
	['sms.inbound', 'Inbound SMS (sms.inbound)'],
	['whatsapp.inbound', 'Inbound WhatsApp message (whatsapp.inbound)'],
];
const SENT_EVENTS = [
	...INBOUND_EVENTS,
	['message.status', 'Delivery receipt (message.status)'],
	['wallet.low_balance', 'Low-balance alert (wallet.low_balance)'],
];
const STATUSES = [
	['500', '500 Server error'],
	['503', '503 Unavailable'],
	['502', '502 Bad gateway'],
	['429', '429 Too many requests'],
	['401', '401 Invalid key'],
	['422', '422 Rejected'],
	['404', '404 Not found'],
];

/** Faults for the next requests, and other response shapes. */
export const faults = {
	title: 'Faults',
	kinds: ['faults', 'requests', 'settings'],
	open() {
		const calls = endpointList.map(({ id, summary }) => [id, `${summary} (${id})`, 'API requests']);
		const webhooks = INBOUND_EVENTS.map(([id, label]) => [id, label, 'The service’s own webhooks']);
		const endpoint = field({
			name: 'endpoint',
			label: 'Applies to',
			kind: 'select',
			options: [['*', 'Any, whichever comes next'], ...calls, ...webhooks],
			wide: true,
		});
		const kind = field({
			name: 'kind',
			label: 'What happens',
			kind: 'select',
			options: [
				...Object.entries(RESPONSE_KINDS).map(([name, label]) => [name, label, 'Responses']),
				...Object.entries(DELIVERY_KINDS).map(([name, label]) => [name, label, 'Webhooks that the sandbox sends']),
			],
			wide: true,
		});
		const status = field({ name: 'status', label: 'Status', kind: 'select', options: STATUSES });
		const retry = field({
			name: 'retry_after',
			label: 'Retry-After (seconds)',
			kind: 'number',
			hint: 'Empty: no such header',
			value: 2,
			attributes: { min: 0, step: 1 },
		});
		const wait = field({
			name: 'milliseconds',
			label: 'Delay (ms)',
			kind: 'number',
			value: 3000,
			required: true,
			attributes: { min: 0, step: 1 },
		});
		const copies = field({
			name: 'copies',
			label: 'Copies',
			kind: 'number',
			value: 2,
			required: true,
			attributes: { min: 2, max: 10, step: 1 },
		});
		const times = field({
			name: 'times',
			label: 'How many requests',
			kind: 'number',
			value: 1,
			required: true,
			attributes: { min: 1, step: 1 },
		});
		const adding = form({
			fields: [kind, endpoint, status, retry, wait, copies, times],
			action: 'Add fault',
			keep: true,
			submit: async (values) => {
				await control('POST', 'faults', toFault(values));
				showToast('Fault added');
				await refresh();
			},
		});

		function showFields() {
			const chosen = kind.read();
			status.element.hidden = chosen !== 'answer';
			retry.element.hidden = chosen !== 'answer' || status.read() !== '429';
			wait.element.hidden = chosen !== 'delay' && chosen !== 'post_late';
			copies.element.hidden = chosen !== 'post_copies';
		}
		kind.input.addEventListener('input', () => {
			const offered = kind.read().startsWith('post_') ? SENT_EVENTS : [...calls, ...webhooks];
			const before = endpoint.input.value;
			endpoint.input.replaceChildren(...makeOptions([['*', 'Any, whichever comes next'], ...offered]));
			endpoint.input.value = offered.some(([id]) => id === before) ? before : '*';
		});
		adding.element.addEventListener('input', showFields);
		showFields();

		const waiting = make('ul', { class: 'fault-list' });
		const showWaiting = rows(
			waiting,
			({ id }) => id,
			(fault) => drawFault(fault, remove),
		);
		async function remove(id) {
			const at = [...waiting.children].findIndex((item) => item.contains(document.activeElement));
			await control('DELETE', `faults/${id}`);
			showToast('Fault removed');
			await refresh();
			// The focused button has gone with its fault. Focus the button that moved up, or the form.
			const next = waiting.children[Math.min(at, waiting.children.length - 1)];
			(next?.querySelector('button') ?? kind.input).focus();
		}
		const none = hint('None. Everything works normally.');
		const clear = actionButton({
			words: 'Remove all',
			act: async () => {
				await control('DELETE', 'faults');
				showToast('All faults removed');
				await refresh();
			},
		});
		const shapes = settingsForm(shapeFields());
		const requests = table({
			caption: 'API requests, newest first',
			keyOf: ({ key }) => key,
			columns: [
				{
					title: 'Request',
					lead: true,
					wide: true,
					draw: ({ method, path }) => make('span', { class: 'code breakable' }, `${method} ${path}`),
				},
				{ title: 'Response', draw: drawStatus },
				{ title: 'Fault', draw: ({ fault }) => fault ?? '–' },
				{ title: 'Time', draw: ({ at }) => time(at) },
			],
			empty: emptyState('No requests yet', 'Every API request appears here, including rejected ones.'),
		});

		async function refresh() {
			const [list, calls, settings] = await Promise.all([
				control('GET', 'faults'),
				control('GET', 'requests'),
				control('GET', 'settings'),
			]);
			showWaiting(list);
			none.hidden = list.length > 0;
			clear.hidden = list.length === 0;
			shapes.show(settings);
			const seen = new Map();
			const keyed = calls.slice(0, 50).map((call) => {
				const name = `${call.at} ${call.method} ${call.path}`;
				seen.set(name, (seen.get(name) ?? 0) + 1);
				return { ...call, key: `${name} ${seen.get(name)}` };
			});
			requests.show(keyed);
		}
		return {
			element: make(
				'div',
				{},
				make(
					'div',
					{ class: 'columns even' },
					make(
						'div',
						{},
						card(
							'Add a fault',
							hint(
								'Test how your workflow handles a failure of the service. For a fault on one phone number only, use ',
								link('magic values', 'magic-values'),
								'.',
							),
							adding.element,
						),
						card('Pending faults', none, waiting, make('div', { class: 'buttons' }, clear)),
					),
					card(
						'Response shapes',
						hint('The API does not document every response. Try other plausible shapes here.'),
						shapes.element,
					),
				),
				make('h2', { class: 'list-title' }, 'Latest API requests'),
				requests.element,
			),
			refresh,
		};
	},
};

function toFault({ status, retry_after, ...fault }) {
	if (fault.kind !== 'answer') return fault;
	const headers = retry_after === undefined ? {} : { headers: { 'retry-after': String(retry_after) } };
	return { ...fault, status: Number(status), ...headers };
}

function drawFault({ id, endpoint, kind, status, milliseconds, copies, times }, remove) {
	const titles = {
		answer: `Respond with ${status}`,
		delay: `Wait ${milliseconds} ms, then respond`,
		post_late: `Deliver it ${milliseconds} ms later`,
		post_copies: `Deliver it ${copies} times`,
	};
	const sent = kind.startsWith('post_');
	const what = sent ? 'webhook' : 'request';
	const next = times === 1 ? `the next ${what}` : `the next ${times} ${what}s`;
	const title = titles[kind] ?? KINDS[kind] ?? kind;
	const which = endpoint === '*' ? next : `${next} ${sent ? 'of' : 'to'} ${endpoint}`;
	return make(
		'li',
		{ class: 'spread' },
		make('div', {}, make('strong', {}, title), make('span', { class: 'sub' }, which)),
		actionButton({
			words: 'Remove',
			label: `Remove: ${title}, ${which}`,
			look: 'small',
			act: async () => await remove(id),
		}),
	);
}

function drawStatus({ status }) {
	if (status === null) return badge('waiting', 'none');
	return badge(status < 300 ? 'delivered' : status < 500 ? 'waiting' : 'failed', String(status));
}

function shapeFields() {
	const choice = (name, label, options) => field({ name, label, kind: 'select', options });
	return [
		choice('error_shape', 'Errors', [
			['flat', 'code and message'],
			['nested', 'under “error”'],
			['list', 'a list of errors'],
			['fields', 'by field'],
			['text', '“error” as text'],
		]),
		choice('list_shape', 'Lists', [
			['data', 'under “data”'],
			['bare', 'a bare list'],
			['named', 'under their name'],
			['paged', 'in pages'],
		]),
		choice('record_shape', 'Single records', [
			['flat', 'flat'],
			['data', 'under “data”'],
			['named', 'under their name'],
		]),
		choice('number_shape', 'Amounts', [
			['number', 'numbers'],
			['text', 'text'],
		]),
		field({
			name: 'page_size',
			label: 'Contacts and sender IDs per page',
			kind: 'number',
			hint: '0: all of them',
			attributes: { min: 0, max: 1000, step: 1 },
		}),
		choice('rejection_shape', 'Rejected requests', [
			['status', 'by status 404 or 422'],
			['success_false', '200, “success” false'],
			['wrapped', '200, failed in an envelope'],
			['row', '200, failed in a list'],
			['text', '200, only a text'],
		]),
		choice('verification_shape', 'Code checks', [
			['answer', '“valid” true or false'],
			['refusal', 'a 422 for a wrong code'],
			['flag', '“is_verified”, “success” always true'],
			['list', '“valid” in a list'],
			['words', 'only a text'],
			['success', 'only “success”, and a 422 for a wrong code'],
		]),
		choice('bulk_shape', 'Bulk send results', [
			['rows', 'a row for each number'],
			['renamed_rows', 'rows with “contact” and “state”'],
			['lists', 'lists “sent” and “failed”'],
			['groups', 'groups under “results”'],
			['map', 'by number'],
			['counts', 'only counts'],
		]),
		choice('contact_shape', 'Contacts', [
			['plain', '“phone” and “name”'],
			['renamed', '“phone_number” and “full_name”'],
			['numbers', '“phone” as a number'],
		]),
		choice('sender_id_shape', 'Sender IDs', [
			['records', 'records'],
			['numbers', 'with numbers'],
			['names', 'only names'],
		]),
		choice('balance_shape', 'Balance', [
			['plain', '“balance”'],
			['renamed', '“wallet_balance”'],
			['nested', 'an amount under “balance”'],
			['text', 'text with a currency sign'],
		]),
		choice('transaction_shape', 'Transactions', [
			['full', 'with ID and balance'],
			['bare', 'without ID and balance'],
			['unsigned', 'other types, no signs'],
		]),
		choice('transaction_order', 'Transaction order', [
			['newest_first', 'newest first'],
			['oldest_first', 'oldest first'],
		]),
		choice('status_words', 'Delivery statuses', [
			['plain', 'the service’s words'],
			['carrier', 'a carrier’s words'],
		]),
		choice('bulk_opt_outs', 'Bulk sends with opted-out numbers', [
			['refuse', 'rejected as a whole'],
			['skip', 'sent without them'],
		]),
	];
}
