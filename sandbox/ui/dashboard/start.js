import { listen } from './live.js';
import { setText } from './make.js';
import { callbacks } from './callbacks.js';
import { clock } from './clock.js';
import { contacts } from './contacts.js';
import { faults } from './faults.js';
import { inbox } from './inbox.js';
import { keys } from './keys.js';
import { magicValues } from './magicValues.js';
import { messages } from './messages.js';
import { optOuts } from './optOuts.js';
import { overview } from './overview.js';
import { phone } from './phone.js';
import { senderIds } from './senderIds.js';
import { settings } from './settings.js';
import { topUps } from './topUps.js';
import { transactions } from './transactions.js';

/**
 * The sections. Each has a `title`, the `kinds` of changes that it shows, and `open(place)`. `open` makes its elements once
 * and returns `{element, refresh}`, with an optional `close` and `move(place)`. `move` is called when the URL changes within
 * the section.
 */
const sections = {
	overview,
	messages,
	phone,
	inbox,
	'opt-outs': optOuts,
	'sender-ids': senderIds,
	contacts,
	transactions,
	'top-ups': topUps,
	keys,
	callbacks,
	faults,
	clock,
	'magic-values': magicValues,
	settings,
};

const main = document.getElementById('main');
const title = document.getElementById('title');
const problem = document.getElementById('problem');
const connection = document.getElementById('connection');
const menu = document.getElementById('menu');
const navigation = document.getElementById('navigation');
const frame = document.getElementById('view');
const links = [...navigation.querySelectorAll('a')];

/** The least time between two refreshes, because changes come in bursts. */
const REFRESH_MS = 250;

let current;

function readPlace() {
	const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?');
	const [name = '', ...rest] = path.split('/');
	const known = Object.hasOwn(sections, name) ? name : 'overview';
	return { name: known, id: rest.map(decodePart).join('/'), query: new URLSearchParams(query) };
}

function decodePart(part) {
	try {
		return decodeURIComponent(part);
	} catch {
		return part;
	}
}

function go(focus) {
	const place = readPlace();
	toggleMenu(false);
	if (current?.name === place.name) {
		current.view.move?.(place);
		return;
	}
	current?.view.close?.();
	const section = sections[place.name];
	const view = section.open(place);
	current = { name: place.name, kinds: section.kinds, view };
	document.title = `${section.title} · Messaging Service sandbox`;
	setText(title, section.title);
	for (const one of links) {
		if (one.getAttribute('href') === `/#/${place.name}`) one.setAttribute('aria-current', 'page');
		else one.removeAttribute('aria-current');
	}
	frame.replaceChildren(view.element);
	frame.setAttribute('aria-busy', 'true');
	scrollTo(0, 0);
	if (focus) title.focus({ preventScroll: true });
	refresh();
}

let refreshing = false;
let again = false;

function refresh() {
	if (refreshing) {
		again = true;
		return;
	}
	void refreshNow();
}

async function refreshNow() {
	refreshing = true;
	do {
		again = false;
		const shown = current;
		try {
			await shown.view.refresh();
			if (shown === current) say('');
		} catch (error) {
			if (shown === current) say(error.message);
		}
		if (shown === current) frame.removeAttribute('aria-busy');
		// A newly opened section does not wait.
		if (shown === current) await new Promise((resolve) => setTimeout(resolve, REFRESH_MS));
	} while (again || !current);
	refreshing = false;
}

function say(text) {
	setText(problem, text);
	problem.hidden = text === '';
}

function toggleMenu(open) {
	menu.setAttribute('aria-expanded', String(open));
	navigation.dataset.open = String(open);
}

const stateLabels = { connecting: 'Connecting…', live: 'Live', lost: 'Connection lost' };

menu.addEventListener('click', () => toggleMenu(menu.getAttribute('aria-expanded') !== 'true'));
document.addEventListener('keydown', (event) => {
	if (event.key !== 'Escape' || menu.getAttribute('aria-expanded') !== 'true') return;
	toggleMenu(false);
	menu.focus();
});
document.getElementById('skip').addEventListener('click', (event) => {
	event.preventDefault();
	main.focus();
});
addEventListener('hashchange', () => go(true));
document.getElementById('noscript-access')?.remove();
go(false);
listen(
	(kinds) => {
		if (kinds === 'all' || current.kinds.some((kind) => kinds.has(kind))) refresh();
	},
	(state) => {
		connection.dataset.state = state;
		setText(connection, stateLabels[state]);
	},
);
