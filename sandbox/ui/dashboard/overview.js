import { access } from './access.js';
import { control } from './call.js';
import { chart } from './chart.js';
import { copyButton } from './copyButton.js';
import { firstMessage } from './firstMessage.js';
import { formatAmount, formatCount } from './format.js';
import { make, setText } from './make.js';
import { card, hint, link } from './section.js';
import { rows } from './rows.js';

const RANGES = { hour: { label: 'Last 24 hours', count: 24 }, day: { label: 'Last 30 days', count: 30 } };

/** The state of the account, the first steps, and the connection details. */
export const overview = {
	title: 'Overview',
	kinds: ['messages', 'wallet', 'packages', 'inbox', 'opt_outs', 'clock', 'keys', 'sender_ids', 'batches'],
	open() {
		let by = 'hour';
		const tiles = make('ul', { class: 'tiles' });
		const showTiles = rows(tiles, ({ name }) => name, drawTile);
		const charts = { messages: chart('Messages'), spent: chart('Spent', formatAmount) };
		const tableBody = make('tbody');
		const showNumbers = rows(tableBody, ({ from }) => from, drawNumbers);
		const spentHead = make('th', { scope: 'col', class: 'number' }, 'Spent');
		const welcome = make('div', { class: 'welcome', hidden: true }, ...welcomeContent());
		const sending = firstMessage();
		const buttons = Object.entries(RANGES).map(([name, { label }]) =>
			make(
				'button',
				{ type: 'button', 'aria-pressed': String(name === by), onclick: () => choose(name), 'data-range': name },
				label,
			),
		);
		const history = card(
			'Messages and money over time',
			make('div', { class: 'segments', role: 'group', 'aria-label': 'Period' }, ...buttons),
			make('div', { class: 'charts' }, charts.messages.element, charts.spent.element),
			make(
				'details',
				{},
				make('summary', {}, 'Show as table'),
				make(
					'div',
					{ class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Messages and money over time' },
					make(
						'table',
						{ class: 'plain' },
						make(
							'thead',
							{},
							make(
								'tr',
								{},
								make('th', { scope: 'col' }, 'From'),
								make('th', { scope: 'col', class: 'number' }, 'Messages'),
								spentHead,
							),
						),
						tableBody,
					),
				),
			),
		);
		const { element: connecting, show: showKey } = connectCard();
		const element = make(
			'div',
			{},
			welcome,
			tiles,
			make('div', { class: 'columns' }, make('div', {}, history), make('div', {}, sending.element, connecting)),
		);

		async function choose(name) {
			by = name;
			for (const button of buttons) button.setAttribute('aria-pressed', String(button.dataset.range === by));
			await refresh();
		}

		async function refresh() {
			const asked = by;
			const [state, names, keys] = await Promise.all([
				control('GET', `overview?by=${asked}&count=${RANGES[asked].count}`),
				control('GET', 'sender-ids'),
				control('GET', 'keys'),
			]);
			if (asked !== by) return;
			const total = Object.values(state.messages).reduce((sum, count) => sum + count, 0);
			welcome.hidden = total > 0 || state.inbox > 0;
			showTiles(tilesOf(state, total));
			setText(spentHead, `Spent (${state.currency})`);
			charts.messages.show(
				state.series.map(({ from, messages }) => ({ from, value: messages })),
				asked,
			);
			charts.spent.show(
				state.series.map(({ from, spent }) => ({ from, value: spent })),
				asked,
				state.currency,
			);
			showNumbers(state.series.map((slot) => ({ ...slot, by: asked })).reverse());
			sending.show(names);
			showKey(keys);
		}
		return { element, refresh, close: () => Object.values(charts).forEach(({ close }) => close()) };
	},
};

function welcomeContent() {
	const step = (title, ...text) => make('li', {}, make('strong', {}, title), make('p', {}, ...text));
	return [
		make('h2', {}, 'Welcome. Nothing here costs money, and no real messages are sent.'),
		make(
			'ol',
			{},
			step('Send a message', 'Press “Send” under “Send a message”. The form is already filled in.'),
			step('See it arrive', 'Open the ', link('phone', 'phone'), '. It shows the message, and you can reply.'),
			step('Connect your tool', 'Copy the base URL and the API key from “Connection details” into n8n or Zapier.'),
		),
	];
}

function tilesOf({ balance, currency, package_credits, messages, inbox, opt_outs }, total) {
	const pending = ['queued', 'submitted', 'sent'].reduce((sum, status) => sum + (messages[status] ?? 0), 0);
	return [
		{ name: 'Balance', value: formatAmount(balance), unit: currency, place: 'top-ups', note: 'Top up' },
		{ name: 'Package credits', value: formatCount(package_credits), place: 'top-ups', note: 'Used first' },
		{ name: 'Messages', value: formatCount(total), place: 'messages', note: `${formatCount(pending)} pending` },
		{
			name: 'Delivered',
			value: formatCount(messages.delivered ?? 0),
			place: 'messages?status=delivered',
			note: 'View',
		},
		{ name: 'Failed', value: formatCount(messages.failed ?? 0), place: 'messages?status=failed', note: 'Refunded' },
		{ name: 'Inbox', value: formatCount(inbox), place: 'inbox', note: `Opt-outs: ${formatCount(opt_outs)}` },
	];
}

function drawTile({ name, value, unit, place, note }) {
	return make(
		'li',
		{},
		make(
			'a',
			{ href: `/#/${place}` },
			make('span', { class: 'tile-name' }, name),
			make('span', { class: 'tile-value' }, unit && make('small', {}, `${unit} `), value),
			make('span', { class: 'tile-note' }, note),
		),
	);
}

const hour = new Intl.DateTimeFormat(undefined, {
	weekday: 'short',
	hour: '2-digit',
	minute: '2-digit',
	hourCycle: 'h23',
});
const day = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric', month: 'short' });

function drawNumbers({ from, messages, spent, by }) {
	return make(
		'tr',
		{},
		make('th', { scope: 'row' }, (by === 'hour' ? hour : day).format(new Date(from))),
		make('td', { class: 'number' }, formatCount(messages)),
		make('td', { class: 'number' }, formatAmount(spent)),
	);
}

function connectCard() {
	const { baseUrl } = access;
	const first = document.body.dataset.apiKey;
	const example = JSON.stringify({ to: '+233201234567', sender_id: 'KOFISHOP', message: 'We are open 8 am to 6 pm.' });
	const command = `curl ${baseUrl}sms/send \\\n  -H 'X-API-Key: ${first}' \\\n  -H 'Content-Type: application/json' \\\n  -d '${example}'`;
	const revoked = make('p', { class: 'problem', hidden: true });
	revoked.append('This key was revoked. Create a new one under ', link('Keys', 'keys'), '.');
	const line = (name, id, value) =>
		make(
			'div',
			{ class: 'copy-line' },
			make('span', { class: 'name' }, name),
			make('code', { id }, value),
			copyButton(() => value, name),
		);
	const element = card(
		'Connection details',
		hint('Enter these in your n8n credential, your Zapier connection or your own program.'),
		line('Base URL', 'base-url', baseUrl),
		line('API key', 'api-key', first),
		revoked,
		make(
			'details',
			{},
			make('summary', {}, 'From a terminal'),
			make('pre', { tabindex: '0' }, make('code', {}, command)),
			make(
				'p',
				{ class: 'buttons' },
				copyButton(() => command, 'the command'),
			),
		),
	);
	return {
		element,
		show: (keys) => {
			const [key] = keys.filter(({ id }) => id === 1);
			revoked.hidden = !key?.revoked_at;
		},
	};
}
