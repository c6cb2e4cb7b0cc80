import { endpointList } from './access.js';
import { badge } from './badge.js';
import { control } from './call.js';
import { field, form } from './form.js';
import { make } from './make.js';
import { tellNews } from './news.js';
import { actionButton } from './problem.js';
import { rows } from './rows.js';
import { card, hint, link } from './section.js';
import { settingsForm } from './settingsForm.js';
import { emptyState, table } from './table.js';
import { time } from './time.js';

/** What can go wrong, in words, and what each becomes for the control route. */
const KINDS = {
	error: 'Answer with an error',
	html: 'Answer with a web page instead of JSON',
	drop_before: 'Cut the connection before anything is done',
	drop_after: 'Do it, charge it, then cut the connection',
	truncate: 'Do it, then send half of the answer',
	delay: 'Wait, then answer',
	hang: 'Never answer',
};
const STATUSES = [
	['500', '500 Server error'],
	['503', '503 Not available'],
	['502', '502 Bad gateway'],
	['429', '429 Too many requests'],
	['401', '401 Key not valid'],
	['422', '422 Refused'],
	['404', '404 Not found'],
];
const HTML_PAGE = '<!doctype html><title>Bad gateway</title><h1>502 Bad Gateway</h1>';

/** Making the next calls go wrong, and switching the answers to other shapes. */
export const faults = {
	title: 'Faults',
	kinds: ['faults', 'requests', 'settings'],
	open() {
		const calls = endpointList.map(({ id, summary }) => [id, `${summary} (${id})`]);
		const endpoint = field({
			name: 'endpoint',
			label: 'Which call',
			kind: 'select',
			options: [['*', 'Whichever comes next'], ...calls],
			wide: true,
		});
		const kind = field({
			name: 'kind',
			label: 'What happens',
			kind: 'select',
			options: Object.entries(KINDS),
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
		const times = field({
			name: 'times',
			label: 'How many calls',
			kind: 'number',
			value: 1,
			required: true,
			attributes: { min: 1, step: 1 },
		});
		const adding = form({
			fields: [endpoint, kind, status, retry, wait, times],
			action: 'Add the fault',
			keep: true,
			submit: async (values) => {
				await control('POST', 'faults', toFault(values));
				tellNews('The fault waits for its call');
				await refresh();
			},
		});

		function showFields() {
			status.element.hidden = kind.read() !== 'error';
			retry.element.hidden = kind.read() !== 'error' || status.read() !== '429';
			wait.element.hidden = kind.read() !== 'delay';
		}
		adding.element.addEventListener('input', showFields);
		showFields();

		const waiting = make('ul', { class: 'fault-list' });
		const showWaiting = rows(waiting, ({ key }) => key, drawFault);
		const none = hint('None: every call is answered as it should be.');
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
			showWaiting(list.map((fault, index) => ({ ...fault, key: `${index} ${fault.endpoint} ${fault.kind}` })));
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
							'Make a call go wrong',
							hint(
								'See what your workflow does when the service fails. Magic numbers do it for one number: ',
								link('see them', 'magic-values'),
								'.',
							),
							adding.element,
						),
						card('Waiting for their calls', none, waiting, make('div', { class: 'buttons' }, clear)),
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

function toFault({ endpoint, kind, status, retry_after, milliseconds, times }) {
	const common = { endpoint, times };
	if (kind === 'html') {
		return { ...common, kind: 'answer', status: 200, headers: { 'content-type': 'text/html' }, body: HTML_PAGE };
	}
	if (kind === 'delay') return { ...common, kind, milliseconds };
	if (kind !== 'error') return { ...common, kind };
	const headers = retry_after === undefined ? {} : { headers: { 'retry-after': String(retry_after) } };
	return { ...common, kind: 'answer', status: Number(status), ...headers };
}

function drawFault({ endpoint, kind, status, milliseconds, times, body }) {
	const html = typeof body === 'string';
	const words = kind === 'answer' ? (html ? KINDS.html : `Answer with ${status}`) : KINDS[kind];
	const calls = times === 1 ? 'the next call' : `the next ${times} calls`;
	return make(
		'li',
		{},
		make('strong', {}, kind === 'delay' ? `Wait ${milliseconds} ms, then answer` : words),
		make('span', { class: 'sub' }, endpoint === '*' ? calls : `${calls} of ${endpoint}`),
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
		choice('verification_shape', 'A wrong code', [
			['answer', 'an answer'],
			['refusal', 'refused with 422'],
		]),
		choice('bulk_opt_outs', 'Bulk with opted-out numbers', [
			['refuse', 'refused as a whole'],
			['skip', 'sent without them'],
		]),
	];
}
