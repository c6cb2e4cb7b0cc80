import { endpointList } from './access.js';
import { badge } from './badge.js';
import { control } from './call.js';
import { field, form, makeOptions } from './form.js';
import { make } from './make.js';
import { tellNews } from './news.js';
import { actionButton } from './problem.js';
import { rows } from './rows.js';
import { card, hint, link } from './section.js';
import { settingsForm } from './settingsForm.js';
import { emptyState, table } from './table.js';
import { time } from './time.js';

/** What can go wrong with an answer, in words. */
const ANSWER_KINDS = {
	answer: 'Answer with an error',
	html: 'Answer with a web page instead of JSON',
	drop_before: 'Cut the connection before anything is done',
	drop_after: 'Do it, charge it, then cut the connection',
	truncate: 'Do it, then cut the connection in the middle of the answer',
	half_json: 'Do it, then answer with half of the JSON',
	delay: 'Wait, then answer',
	hang: 'Never answer',
};

/** What can go wrong with what the sandbox posts, in words. */
const POST_KINDS = {
	post_copies: 'Post it more than once',
	post_late: 'Post it later',
	post_reordered: 'Let the next one overtake it',
	post_form: 'Post it as form fields',
};
const KINDS = { ...ANSWER_KINDS, ...POST_KINDS };
const WEBHOOKS = [
	['sms.inbound', 'Text from a phone (sms.inbound)'],
	['whatsapp.inbound', 'WhatsApp message from a phone (whatsapp.inbound)'],
];
const POSTS = [
	...WEBHOOKS,
	['message.status', 'Delivery receipt (message.status)'],
	['wallet.low_balance', 'Low-balance alert (wallet.low_balance)'],
];
const STATUSES = [
	['500', '500 Server error'],
	['503', '503 Not available'],
	['502', '502 Bad gateway'],
	['429', '429 Too many requests'],
	['401', '401 Key not valid'],
	['422', '422 Refused'],
	['404', '404 Not found'],
];
/** Making the next calls go wrong, and switching the answers to other shapes. */
export const faults = {
	title: 'Faults',
	kinds: ['faults', 'requests', 'settings'],
	open() {
		const calls = endpointList.map(({ id, summary }) => [id, `${summary} (${id})`, 'Calls']);
		const webhooks = WEBHOOKS.map(([id, words]) => [id, words, 'The service’s own webhooks']);
		const endpoint = field({
			name: 'endpoint',
			label: 'Of which',
			kind: 'select',
			options: [['*', 'Whichever comes next'], ...calls, ...webhooks],
			wide: true,
		});
		const kind = field({
			name: 'kind',
			label: 'What happens',
			kind: 'select',
			options: [
				...Object.entries(ANSWER_KINDS).map(([name, words]) => [name, words, 'With the answer']),
				...Object.entries(POST_KINDS).map(([name, words]) => [name, words, 'With what the sandbox posts']),
			],
			wide: true,
		});
		const status = field({ name: 'status', label: 'Status', kind: 'select', options: STATUSES });
		const retry = field({
			name: 'retry_after',
			label: 'Retry after',
			kind: 'number',
			hint: 'Seconds; empty: not said',
			value: 2,
			attributes: { min: 0, step: 1 },
		});
		const wait = field({
			name: 'milliseconds',
			label: 'Wait',
			kind: 'number',
			hint: 'Milliseconds',
			value: 3000,
			required: true,
			attributes: { min: 0, step: 1 },
		});
		const copies = field({
			name: 'copies',
			label: 'How often',
			kind: 'number',
			value: 2,
			required: true,
			attributes: { min: 2, max: 10, step: 1 },
		});
		const times = field({
			name: 'times',
			label: 'For how many',
			kind: 'number',
			value: 1,
			required: true,
			attributes: { min: 1, step: 1 },
		});
		const adding = form({
			fields: [kind, endpoint, status, retry, wait, copies, times],
			action: 'Add the fault',
			keep: true,
			submit: async (values) => {
				await control('POST', 'faults', toFault(values));
				tellNews('The fault waits');
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
			const offered = kind.read().startsWith('post_') ? POSTS : [...calls, ...webhooks];
			const before = endpoint.input.value;
			endpoint.input.replaceChildren(...makeOptions([['*', 'Whichever comes next'], ...offered]));
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
			tellNews('The fault is gone');
			await refresh();
			// The button has gone with its fault: the focus goes to the one that has moved up, or to the form.
			const next = waiting.children[Math.min(at, waiting.children.length - 1)];
			(next?.querySelector('button') ?? kind.input).focus();
		}
		const none = hint('None: everything works as it should.');
		const clear = actionButton({
			words: 'Clear all',
			act: async () => {
				await control('DELETE', 'faults');
				tellNews('All faults are gone');
				await refresh();
			},
		});
		const shapes = settingsForm(shapeFields());
		const requests = table({
			caption: 'Calls, newest first',
			keyOf: ({ key }) => key,
			columns: [
				{
					title: 'Call',
					lead: true,
					wide: true,
					draw: ({ method, path }) => make('span', { class: 'code breakable' }, `${method} ${path}`),
				},
				{ title: 'Answer', draw: drawAnswer },
				{ title: 'Fault', draw: ({ fault }) => fault ?? '–' },
				{ title: 'Time', draw: ({ at }) => time(at) },
			],
			empty: emptyState('No calls yet', 'Every call to the API appears here, also those that are refused.'),
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
							'Make something go wrong',
							hint(
								'See what your workflow does when the service fails. Magic numbers do it for one number: ',
								link('see them', 'magic-values'),
								'.',
							),
							adding.element,
						),
						card('Waiting to happen', none, waiting, make('div', { class: 'buttons' }, clear)),
					),
					card(
						'Shapes of answers',
						hint('Where the service’s interface does not show how an answer looks, try the other ways.'),
						shapes.element,
					),
				),
				make('h2', { class: 'list-title' }, 'Latest calls'),
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
	const words = {
		answer: `Answer with ${status}`,
		delay: `Wait ${milliseconds} ms, then answer`,
		post_late: `Post it ${milliseconds} ms later`,
		post_copies: `Post it ${copies} times`,
	};
	const what = kind.startsWith('post_') ? 'post' : 'call';
	const next = times === 1 ? `the next ${what}` : `the next ${times} ${what}s`;
	const title = words[kind] ?? KINDS[kind] ?? kind;
	const which = endpoint === '*' ? next : `${next} of ${endpoint}`;
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

function drawAnswer({ status }) {
	if (status === null) return badge('waiting', 'none');
	return badge(status < 300 ? 'delivered' : status < 500 ? 'waiting' : 'failed', String(status));
}

function shapeFields() {
	const choice = (name, label, options) => field({ name, label, kind: 'select', options });
	return [
		choice('error_shape', 'Errors', [
			['flat', 'code and message'],
			['nested', 'nested below “error”'],
			['list', 'a list of errors'],
			['fields', 'by field'],
			['text', '“error” as text'],
		]),
		choice('list_shape', 'Lists', [
			['data', 'below “data”'],
			['bare', 'a bare list'],
			['named', 'below their name'],
			['paged', 'in pages'],
		]),
		choice('record_shape', 'Single records', [
			['flat', 'flat'],
			['data', 'below “data”'],
			['named', 'below their name'],
		]),
		choice('number_shape', 'Amounts', [
			['number', 'numbers'],
			['text', 'text'],
		]),
		field({
			name: 'page_size',
			label: 'Contacts and sender IDs in a page',
			kind: 'number',
			hint: '0: all of them',
			attributes: { min: 0, max: 1000, step: 1 },
		}),
		choice('rejection_shape', 'Rejected calls', [
			['status', 'by status 404 or 422'],
			['success_false', '200, “success” false'],
			['wrapped', '200, failed in an envelope'],
			['row', '200, failed in a list'],
			['text', '200, only words'],
		]),
		choice('verification_shape', 'The check of a code', [
			['answer', '“valid” true or false'],
			['refusal', 'a wrong one is a 422'],
			['flag', '“is_verified”, “success” always true'],
			['list', '“valid” in a list'],
			['words', 'only words'],
			['success', 'only “success”, a wrong one is a 422'],
		]),
		choice('bulk_shape', 'Results of a bulk send', [
			['rows', 'a row for each number'],
			['renamed_rows', 'rows with “contact” and “state”'],
			['lists', 'lists “sent” and “failed”'],
			['groups', 'groups below “results”'],
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
		choice('balance_shape', 'The balance', [
			['plain', '“balance”'],
			['renamed', '“wallet_balance”'],
			['nested', 'an amount below “balance”'],
			['text', 'text with a currency sign'],
		]),
		choice('transaction_shape', 'Transactions', [
			['full', 'with ID and balance'],
			['bare', 'without ID and balance'],
			['unsigned', 'other types, no signs'],
		]),
		choice('transaction_order', 'Order of transactions', [
			['newest_first', 'newest first'],
			['oldest_first', 'oldest first'],
		]),
		choice('status_words', 'Delivery words', [
			['plain', 'the service’s words'],
			['carrier', 'a carrier’s words'],
		]),
		choice('bulk_opt_outs', 'Bulk with opted-out numbers', [
			['refuse', 'refused as a whole'],
			['skip', 'sent without them'],
		]),
	];
}
