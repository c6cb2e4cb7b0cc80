const element = (id) => document.getElementById(id);
const [number, to, thread, empty, text, send] = ['number', 'to', 'thread', 'empty', 'text', 'send'].map(element);
const [connection, notice, numberProblem, destination] = ['connection', 'notice', 'number-problem', 'destination'].map(
	element,
);

/** Whether the dashboard shows this page in a frame. */
const embedded = new URLSearchParams(location.search).has('embedded');
document.documentElement.classList.toggle('embedded', embedded);
const by = element('channel');

const statusWords = {
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

/** What is on the screen, by id of the thread's entries. */
const shown = new Map();
let events;
/** Whether the newest bubble stays in view; not while somebody reads further up. */
let following = true;

function make(tag, className, content = '') {
	const made = document.createElement(tag);
	made.className = className;
	made.textContent = content;
	return made;
}

function setText(target, content) {
	// Writing the same text again would make a screen reader read it again.
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
	const words = make('p', 'text', entry.text);
	words.dir = 'auto';
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
	bubble.append(words, meta);
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

function updateEntry({ bubble, status, problem, deliveries }, entry) {
	bubble.dataset.status = entry.status;
	const posts = entry.deliveries ?? [];
	const some = posts.filter((post) => post.status === 'posted').length;
	const partly = entry.status === 'failed' && some > 0 && `delivered to ${some} of ${posts.length}`;
	setText(status, partly || (statusWords[entry.direction][entry.status] ?? entry.status));
	const reason = posts.length > 1 ? undefined : entry.delivery?.problem;
	say(problem, reason ? `could not be delivered to ${shortened(entry.delivery.url)}: ${reason}` : '');
	// A text that goes to several addresses says of each what became of it.
	deliveries.hidden = posts.length < 2;
	if (posts.length > 1) showDeliveries(deliveries, posts);
}

function showDeliveries(list, posts) {
	posts.forEach((post, index) => {
		const line = list.children[index] ?? list.appendChild(make('li', ''));
		line.dataset.status = post.status;
		const outcome = { posting: 'sending…', posted: `taken, ${post.http_status}` }[post.status] ?? post.problem;
		setText(line, `${shortened(post.url)}: ${outcome}`);
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

function setConnection(state, words) {
	connection.dataset.state = state;
	setText(connection, words);
}

function connect() {
	clear();
	empty.hidden = true;
	listen();
}

/** A browser opens only six connections to one address, so a page that nobody sees holds none. */
function listen() {
	events?.close();
	if (document.hidden || number.getAttribute('aria-invalid') === 'true') return;
	setConnection('connecting', 'Connecting…');
	events = new EventSource(`/_sandbox/phones/${encodeURIComponent(number.value)}/events`);
	events.addEventListener('open', () => setConnection('live', 'Live'));
	events.addEventListener('error', () => setConnection('lost', 'Not reachable'));
	events.addEventListener('thread', (event) => showThread(JSON.parse(event.data)));
}

function rememberInAddress() {
	const query = new URLSearchParams({ number: number.value, to: to.value, ...(embedded && { embedded: '1' }) });
	history.replaceState(null, '', `?${query}`);
}

function changeNumber() {
	const mailbox = number.value.includes('@');
	number.value = mailbox ? number.value.trim() : number.value.replace(/[\s().-]/g, '');
	const valid = mailbox ? /^[^\s@]+@[^\s@]+$/.test(number.value) : /^\+[1-9]\d{6,14}$/.test(number.value);
	number.setAttribute('aria-invalid', String(!valid));
	const problem = 'Write a number with + and country code, e.g. +233201234567, or an email address.';
	say(numberProblem, valid ? '' : problem);
	if (!valid) return;
	// Nobody writes back from an address: the sandbox takes no emails.
	for (const part of document.querySelectorAll('.writing')) part.hidden = mailbox;
	setText(element('owner'), mailbox ? 'This address' : 'This phone');
	setText(
		element('empty-words'),
		mailbox
			? 'What is mailed to this address appears here.'
			: 'What is sent to this number appears here. Or write the first text.',
	);
	rememberInAddress();
	connect();
}

async function call(path, options) {
	const response = await fetch(path, options);
	const answer = await response.json();
	if (!response.ok) throw new Error(answer.message);
	return answer;
}

/** A webhook's path often holds a secret, and a phone page ends up in screenshots: only how it begins is shown. */
function shortened(address) {
	const { origin, pathname } = new URL(address);
	const [, ...segments] = pathname.split('/');
	return segments.length <= 3 ? origin + pathname : `${origin}/${segments[0]}/…`;
}

async function showDestination() {
	const { inbound_url, inbound_urls } = await call('/_sandbox/settings');
	const url = by.value === 'whatsapp' ? `${location.origin}/webhooks/whatsapp/inbound` : inbound_url;
	const others = by.value === 'whatsapp' ? [] : inbound_urls.filter((one) => one !== url);
	const more = others.length > 0 ? ` and ${others.length} more` : '';
	setText(destination, `Texts are posted to ${shortened(url)}${more}`);
}

async function sendText() {
	const message = text.value;
	if (message.trim() === '' || !hasRecipient()) return;
	text.value = '';
	updateComposer();
	try {
		await post(message);
	} catch (error) {
		// What was written must not be lost, unless something new has been begun meanwhile.
		text.value ||= message;
		updateComposer();
		say(notice, `The text was not taken: ${error.message}`);
	}
}

/** Texts a keyword; what is being written stays as it is. */
async function sendKeyword(keyword) {
	if (!hasRecipient()) return;
	try {
		await post(keyword);
	} catch (error) {
		say(notice, `The text was not taken: ${error.message}`);
	}
}

function hasRecipient() {
	if (to.value.trim() === '') {
		say(notice, 'Choose whom to text to.');
		to.focus();
		return false;
	}
	return true;
}

async function post(message) {
	await call(`/_sandbox/phones/${encodeURIComponent(number.value)}/texts`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ to: to.value, message, channel: by.value }),
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
// The composer and the messages above it grow and shrink with their text.
new ResizeObserver(followEnd).observe(thread);
number.addEventListener('change', changeNumber);
to.addEventListener('change', rememberInAddress);
document.addEventListener('visibilitychange', () => (document.hidden ? events?.close() : listen()));
by.addEventListener('change', () => void showDestination().catch(() => {}));
for (const button of document.querySelectorAll('[data-text]')) {
	button.addEventListener('click', () => void sendKeyword(button.dataset.text));
}

async function start() {
	const query = new URLSearchParams(location.search);
	// A plus sign that was not escaped in the address arrives as a blank.
	number.value = (query.get('number') ?? '+233201234567').replace(/^ /, '+');
	to.value = query.get('to') ?? '';
	updateComposer();
	changeNumber();
	const names = await call('/_sandbox/sender-ids');
	element('sender-ids').append(...names.map((name) => new Option(name, name)));
	to.value ||= names[0] ?? '';
	await showDestination();
}

start().catch((error) => say(notice, `The sandbox does not answer: ${error.message}`));
