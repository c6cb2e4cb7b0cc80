import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ThreadData } from '../../control/threadEvents';
import { type Now, NowContext } from '../../../ui/clock';
import { ConnectionState } from '../../../ui/ConnectionState';
import { type Connection, listen } from '../../../ui/events';
import { Problem } from '../../../ui/Problem';
import { errorMessage } from '../../../ui/request';
import { control } from '../control';
import { OwnStateChips } from '../OwnStateChips';
import { ADDRESS_PROBLEM, FIRST_NUMBER, findAddress, isMailbox, readAddress } from './address';
import { Composer } from './Composer';
import { shortUrl } from '../../../ui/shortUrl';
import { Thread } from './Thread';

type Channel = 'sms' | 'whatsapp';

const query = new URLSearchParams(location.search);
/** Whether the dashboard shows this page in a frame. */
const embedded = query.has('embedded');

/** A simulated phone or, for an email address, a mailbox. */
export function Phone() {
	// An unescaped plus sign in the URL arrives as a space.
	const [typed, setTyped] = useState(() => (query.get('number') ?? FIRST_NUMBER).replace(/^ /, '+'));
	const number = readAddress(typed);
	const mailbox = isMailbox(typed);
	const [to, setTo] = useState(query.get('to') ?? '');
	const [channel, setChannel] = useState<Channel>('sms');
	const [senderIds, setSenderIds] = useState<readonly string[]>([]);
	const [destination, setDestination] = useState('');
	const [notice, setNotice] = useState('');
	const { entries, now, connection } = useThread(number);
	const recipient = useRef<HTMLInputElement>(null);

	useEffect(() => {
		if (number === undefined) return;
		const parts = new URLSearchParams({ number, to, ...(embedded && { embedded: '1' }) });
		history.replaceState(null, '', `?${parts.toString()}`);
	}, [number, to]);
	useEffect(() => {
		control
			.call('GET sender-ids')
			.then((names) => {
				setSenderIds(names);
				setTo((chosen) => chosen || (names[0] ?? ''));
			})
			.catch((error: unknown) => setNotice(`The sandbox does not respond: ${errorMessage(error)}`));
	}, []);
	useEffect(() => {
		destinationOf(channel).then(setDestination, () => undefined);
	}, [channel, entries]);

	async function open(text: string): Promise<void> {
		const address = await findAddress(text).catch(() => undefined);
		setTyped(address ?? text);
	}

	async function send(message: string): Promise<boolean> {
		if (number === undefined) return false;
		if (to.trim() === '') {
			setNotice('Send to is empty. Choose a sender ID or enter a number.');
			recipient.current?.focus();
			return false;
		}
		try {
			await control.call('POST phones/:number/texts', { params: { number }, body: { to, message, channel } });
			setNotice('');
			return true;
		} catch (error) {
			setNotice(`The message was not sent: ${errorMessage(error)}`);
			return false;
		}
	}
	return (
		<main class={embedded ? 'phone embedded' : 'phone'}>
			<header>
				<div class="title">
					{!embedded && (
						<a href="/" target="_top" aria-label="Dashboard">
							<img src="/ui/icon.svg" alt="" />
						</a>
					)}
					<h1>Messages</h1>
					<ConnectionState connection={connection} />
				</div>
				{/* The dashboard around an embedded phone has its own. */}
				{!embedded && <OwnStateChips />}
				<div class="fields">
					<label for="number">
						<span>{mailbox ? 'This address' : 'This phone'}</span>
						<input
							id="number"
							type="text"
							inputmode="email"
							autocapitalize="none"
							autocomplete="off"
							spellcheck={false}
							aria-describedby="number-problem"
							aria-invalid={number === undefined}
							value={number ?? typed}
							onChange={({ currentTarget }) => void open(currentTarget.value)}
						/>
					</label>
					<label for="to" hidden={mailbox}>
						Send to
						<input
							id="to"
							type="text"
							list="sender-ids"
							autocomplete="off"
							spellcheck={false}
							maxLength={64}
							ref={recipient}
							value={to}
							onInput={({ currentTarget }) => setTo(currentTarget.value)}
						/>
					</label>
					<datalist id="sender-ids">
						{senderIds.map((name) => (
							<option key={name} value={name} />
						))}
					</datalist>
				</div>
				<Problem id="number-problem" text={number === undefined ? ADDRESS_PROBLEM : ''} />
			</header>
			<NowContext.Provider value={now}>
				<Thread key={number} entries={entries ?? []} />
			</NowContext.Provider>
			{entries?.length === 0 && (
				<div id="empty">
					<img src="/ui/icon.svg" alt="" />
					<p>No messages yet</p>
					<p>
						{mailbox
							? 'Emails to this address appear here.'
							: 'Messages to this number appear here. You can also write the first one.'}
					</p>
				</div>
			)}
			<Problem id="notice" text={notice} />
			{/* The sandbox accepts no emails, so a mailbox has no composer. */}
			<Composer hidden={mailbox} send={send} />
			<div class="below" hidden={mailbox}>
				<div class="quick" role="group" aria-label="Send a keyword">
					{['STOP', 'START'].map((keyword) => (
						<button key={keyword} type="button" onClick={() => void send(keyword)}>
							{keyword}
						</button>
					))}
				</div>
				<label class="by" for="channel">
					<span>Send by</span>
					<select
						id="channel"
						value={channel}
						onChange={({ currentTarget }) => setChannel(currentTarget.value === 'whatsapp' ? 'whatsapp' : 'sms')}
					>
						<option value="sms">SMS</option>
						<option value="whatsapp">WhatsApp</option>
					</select>
				</label>
				<p id="destination">{destination}</p>
			</div>
		</main>
	);
}

/** Follows the messages of a phone. `entries` is undefined until they have arrived. */
function useThread(number: string | undefined) {
	const [thread, setThread] = useState<ThreadData & { readonly readAt: number }>();
	const [connection, setConnection] = useState<Connection>('connecting');
	useEffect(() => {
		setThread(undefined);
		if (number === undefined) return undefined;
		return listen({
			url: `/_sandbox/phones/${encodeURIComponent(number)}/events`,
			event: 'thread',
			onData: (data) => setThread({ ...(JSON.parse(data) as ThreadData), readAt: performance.now() }),
			onConnection: setConnection,
		});
	}, [number]);
	const now = useMemo<Now>(() => {
		if (!thread) return () => new Date();
		const { now: at, readAt } = thread;
		return () => new Date(Date.parse(at) + performance.now() - readAt);
	}, [thread]);
	return { entries: thread?.entries, now, connection };
}

/** Says where messages of a channel are posted. */
async function destinationOf(channel: Channel): Promise<string> {
	const { inbound_url, inbound_urls, whatsapp_inbound_url } = await control.call('GET settings');
	if (channel === 'whatsapp') {
		return `Messages go to ${shortUrl(whatsapp_inbound_url ?? `${location.origin}/webhooks/whatsapp/inbound`)}`;
	}
	if (inbound_url === null) return '';
	const others = inbound_urls.filter((one) => one !== inbound_url).length;
	return `Messages go to ${shortUrl(inbound_url)}${others > 0 ? ` and ${others} more` : ''}`;
}
