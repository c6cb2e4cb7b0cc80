const element = (id) => document.getElementById(id);
const [number, to, thread, empty, text, send] = ['number', 'to', 'thread', 'empty', 'text', 'send'].map(element);
const [connection, notice, numberProblem, destination] = ['connection', 'notice', 'number-problem', 'destination'].map(
	element,
);

/** Whether the dashboard shows this page in a frame. */
const embedded = new URLSearchParams(location.search).has('embedded');
document.documentElement.classList.toggle('embedded', embedded);
const channelSelect = element('channel');

const statusLabels = {
	received: {
		queued: 'queued',
		submitted: 'submitted',
		sent: 'sent ✓',
		delivered: 'delivered ✓✓',
		failed: 'failed',
	},
	sent: { posting: 'sending…', posted: 'sent ✓', failed: 'not delivered' },
};
const clockTime = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const dayName = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long' });

const channelNames = { whatsapp: 'WhatsApp', voice: 'Voice call', email: 'Email' };

/** The elements on the screen, by ID of the thread's entry. */
const shown = new Map();
let events;
/** Whether to keep the newest bubble in view. False while the user reads further up. */
let following = true;

function make(tag, className, content = '') {
	const made = document.createElement(tag);
	made.className = className;
	made.textContent = content;
	return made;
}

function setText(target, content) {
	// A screen reader would read an unchanged text again.
	if (target.textContent !== content) target.textContent = content;
}

function say(target, problem) {
	setText(target, problem ?? '');
	target.hidden = !problem;
}

function addDay(at) {
	const day = dayName.format(new Date(at));
	const today = dayName.format(new Date());
	thread.append(make('p', 'day', day === today ? 'Today' : day));
}

function addEntry(entry, previous) {
	const sameDay = previous && new Date(previous.at).toDateString() === new Date(entry.at).toDateString();
	if (!sameDay) addDay(entry.at);
	const row = make('div', `entry ${entry.direction}`);
	const sameParties =
		sameDay &&
		previous.direction === entry.direction &&
		previous.sender === entry.sender &&
		previous.channel === entry.channel &&
		previous.recipient === entry.recipient;
	row.classList.toggle('first', !sameParties);
	const bubble = make('div', `bubble ${entry.direction}`);
	const { channel } = entry;
	bubble.dataset.channel = channel;
	const textLine = make('p', 'text', entry.text);
	textLine.dir = 'auto';
	const meta = make('p', 'meta');
	const time = make('time', '', clockTime.format(new Date(entry.at)));
	time.dateTime = entry.at;
	const status = make('span', 'status');
	const problem = make('p', 'problem');
	meta.append(time, status);
	if (channel === 'voice') bubble.append(spokenLine());
	if (entry.subject) {
		const subject = make('p', 'subject', entry.subject);
		subject.dir = 'auto';
		bubble.append(subject);
	}
	bubble.append(textLine, meta);
	const party = make('p', 'party', entry.direction === 'received' ? entry.sender : `to ${entry.recipient}`);
	if (channelNames[channel]) party.append(make('span', 'channel', ` · ${channelNames[channel]}`));
	const deliveries = make('ul', 'deliveries');
	deliveries.hidden = true;
	row.append(party, bubble, problem, deliveries);
	thread.append(row);
	return { bubble, status, problem, deliveries };
}

function spokenLine() {
	const line = make('p', 'spoken');
	const drawing = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
	drawing.setAttribute('viewBox', '0 0 24 24');
	drawing.setAttribute('aria-hidden', 'true');
	const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
	path.setAttribute('d', 'M5 10v4h3l5 4V6L8 10zM17 9a4 4 0 0 1 0 6');
	drawing.append(path);
	line.append(drawing, 'Spoken');
	return line;
}

function updateEntry({ bubble, status: statusLine, problem, deliveries }, entry) {
	bubble.dataset.status = entry.status;
	const all = entry.deliveries ?? [];
	const delivered = all.filter(({ status }) => status === 'posted').length;
	const partly = entry.status === 'failed' && delivered > 0 && `delivered to ${delivered} of ${all.length}`;
	setText(statusLine, partly || (statusLabels[entry.direction][entry.status] ?? entry.status));
	const reason = all.length > 1 ? undefined : entry.delivery?.problem;
	say(problem, reason ? `could not be delivered to ${shortened(entry.delivery.url)}: ${reason}` : '');
	// A message to several URLs lists the result of each delivery.
	deliveries.hidden = all.length < 2;
	if (all.length > 1) showDeliveries(deliveries, all);
}

function showDeliveries(list, deliveries) {
	deliveries.forEach((delivery, index) => {
		const line = list.children[index] ?? list.appendChild(make('li', ''));
		line.dataset.status = delivery.status;
		const outcome =
			{ posting: 'sending…', posted: `accepted, ${delivery.http_status}` }[delivery.status] ?? delivery.problem;
		setText(line, `${shortened(delivery.url)}: ${outcome}`);
	});
}

function showThread({ entries }) {
	const ids = new Set(entries.map(({ id }) => id));
	if ([...shown.keys()].some((id) => !ids.has(id))) clear();
	let wrote = false;
	entries.forEach((entry, index) => {
		if (!shown.has(entry.id)) {
			shown.set(entry.id, addEntry(entry, entries[index - 1]));
			wrote ||= entry.direction === 'sent';
		}
		updateEntry(shown.get(entry.id), entry);
	});
	empty.hidden = entries.length > 0;
	if (wrote) following = true;
	followEnd();
}

function followEnd() {
	if (following) thread.scrollTop = thread.scrollHeight;
}

function clear() {
	following = true;
	shown.clear();
	thread.replaceChildren();
}

function setConnection(state, label) {
	connection.dataset.state = state;
	setText(connection, label);
}

function connect() {
	clear();
	empty.hidden = true;
	listen();
}

/** Opens the event stream. A hidden page holds none, because a browser opens only six connections to one address. */
function listen() {
	events?.close();
	if (document.hidden || number.getAttribute('aria-invalid') === 'true') return;
	setConnection('connecting', 'Connecting…');
	events = new EventSource(`/_sandbox/phones/${encodeURIComponent(number.value)}/events`);
	events.addEventListener('open', () => setConnection('live', 'Live'));
	events.addEventListener('error', () => setConnection('lost', 'Connection lost'));
	events.addEventListener('thread', (event) => showThread(JSON.parse(event.data)));
}

function saveInUrl() {
	const query = new URLSearchParams({ number: number.value, to: to.value, ...(embedded && { embedded: '1' }) });
	history.replaceState(null, '', `?${query}`);
}

function changeNumber() {
	const mailbox = number.value.includes('@');
	number.value = mailbox ? number.value.trim() : number.value.replace(/[\s().-]/g, '');
	const valid = mailbox ? /^[^\s@]+@[^\s@]+$/.test(number.value) : /^\+[1-9]\d{6,14}$/.test(number.value);
	number.setAttribute('aria-invalid', String(!valid));
	const problem =
		'This is neither a phone number nor an email address. Enter a number with + and country code, or an email address.';
	say(numberProblem, valid ? '' : problem);
	if (!valid) return;
	// The sandbox accepts no emails, so a mailbox has no composer.
	for (const part of document.querySelectorAll('.writing')) part.hidden = mailbox;
	setText(element('owner'), mailbox ? 'This address' : 'This phone');
	setText(
		element('empty-hint'),
		mailbox
			? 'Emails to this address appear here.'
			: 'Messages to this number appear here. You can also write the first one.',
	);
	saveInUrl();
	connect();
}

async function call(path, options) {
	const response = await fetch(path, options);
	const data = await response.json();
	if (!response.ok) throw new Error(data.message);
	return data;
}

/** Shortens a webhook URL. Its path often holds a secret, and the phone page ends up in screenshots. */
function shortened(url) {
	const { origin, pathname } = new URL(url);
	const [, ...segments] = pathname.split('/');
	return segments.length <= 3 ? origin + pathname : `${origin}/${segments[0]}/…`;
}

async function showDestination() {
	const { inbound_url, inbound_urls } = await call('/_sandbox/settings');
	const url = channelSelect.value === 'whatsapp' ? `${location.origin}/webhooks/whatsapp/inbound` : inbound_url;
	const others = channelSelect.value === 'whatsapp' ? [] : inbound_urls.filter((one) => one !== url);
	const more = others.length > 0 ? ` and ${others.length} more` : '';
	setText(destination, `Messages go to ${shortened(url)}${more}`);
}

async function sendText() {
	const message = text.value;
	if (message.trim() === '' || !hasRecipient()) return;
	text.value = '';
	updateComposer();
	try {
		await sendMessage(message);
	} catch (error) {
		// Keep the unsent text, unless the user has begun a new one.
		text.value ||= message;
		updateComposer();
		say(notice, `The message was not sent: ${error.message}`);
	}
}

/** Sends a keyword and leaves a draft in the composer alone. */
async function sendKeyword(keyword) {
	if (!hasRecipient()) return;
	try {
		await sendMessage(keyword);
	} catch (error) {
		say(notice, `The message was not sent: ${error.message}`);
	}
}

function hasRecipient() {
	if (to.value.trim() === '') {
		say(notice, 'Send to is empty. Choose a sender ID or enter a number.');
		to.focus();
		return false;
	}
	return true;
}

async function sendMessage(message) {
	await call(`/_sandbox/phones/${encodeURIComponent(number.value)}/texts`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ to: to.value, message, channel: channelSelect.value }),
	});
	say(notice, '');
	await showDestination();
}

function updateComposer() {
	send.disabled = text.value.trim() === '';
}

element('composer').addEventListener('submit', (event) => {
	event.preventDefault();
	void sendText();
});
text.addEventListener('keydown', (event) => {
	if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
	event.preventDefault();
	void sendText();
});
text.addEventListener('input', updateComposer);
thread.addEventListener('scroll', () => {
	following = thread.scrollHeight - thread.scrollTop - thread.clientHeight < 40;
});
// The composer grows and shrinks with its text, and so does the thread above it.
new ResizeObserver(followEnd).observe(thread);
number.addEventListener('change', changeNumber);
to.addEventListener('change', saveInUrl);
document.addEventListener('visibilitychange', () => (document.hidden ? events?.close() : listen()));
channelSelect.addEventListener('change', () => void showDestination().catch(() => {}));
for (const button of document.querySelectorAll('[data-text]')) {
	button.addEventListener('click', () => void sendKeyword(button.dataset.text));
}

async function start() {
	const query = new URLSearchParams(location.search);
	// An unescaped plus sign in the URL arrives as a space.
	number.value = (query.get('number') ?? '+233201234567').replace(/^ /, '+');
	to.value = query.get('to') ?? '';
	updateComposer();
	changeNumber();
	const names = await call('/_sandbox/sender-ids');
	element('sender-ids').append(...names.map((name) => new Option(name, name)));
	to.value ||= names[0] ?? '';
	await showDestination();
}

start().catch((error) => say(notice, `The sandbox does not respond: ${error.message}`));
