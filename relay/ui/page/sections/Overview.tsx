import type { ComponentChildren } from 'preact';
import type { Forward, Status } from '../../../http/schemas';
import { Ago } from '../../../../ui/Ago';
import { Card, Hint } from '../../../../ui/Card';
import { CopyLine } from '../../../../ui/CopyLine';
import { Facts } from '../../../../ui/Facts';
import { formatCount } from '../../../../ui/format';
import { toUrl } from '../../../../ui/router';
import { useShared } from '../shared';

/** The subscription that forwards inbound messages to the service. */
const FORWARDING = 'sub_service';

/** Silence that is worth a sentence of its own, in milliseconds. */
const QUIET_MS = 3_600_000;

/** What to paste where, and the state of everything that arrives and leaves. */
export function Overview() {
	const { status } = useShared();
	if (!status) return null;
	const { last_events, subscriptions } = status;
	const isNew =
		Object.values(last_events).every((at) => at === null) &&
		subscriptions.active + subscriptions.paused + subscriptions.disabled === 0;
	return (
		<>
			<ForwardingAlarms forwards={status.forwards} />
			<UnrecognizedAlarm count={status.unrecognized_messages_24h} />
			{isNew && <Welcome />}
			<Tiles status={status} />
			<div class="columns">
				<WhatToPaste status={status} />
				<div>
					<LastEvents lastEvents={last_events} />
					<Forwarding forwarding={status.forwarding} />
				</div>
			</div>
		</>
	);
}

function Welcome() {
	return (
		<div class="welcome">
			<h2>Welcome. One URL in, every workflow and Zap out.</h2>
			<ol>
				<li>
					<strong>Connect the service</strong>
					<p>Copy the callback URL below into the dashboard of the service.</p>
				</li>
				<li>
					<strong>Create a token</strong>
					<p>
						Create one under <a href={toUrl('tokens')}>Tokens</a> for each n8n or Zapier connection.
					</p>
				</li>
				<li>
					<strong>Subscribe</strong>
					<p>Activate a workflow or turn on a Zap. It appears under Subscriptions.</p>
				</li>
			</ol>
		</div>
	);
}

const TROUBLES: Readonly<Record<NonNullable<Forward['trouble']>, string>> = {
	paused: 'Paused',
	failing: 'Failing',
	late: 'Late',
	failed: 'Failed',
};

interface TileProps {
	readonly name: string;
	readonly value: string;
	readonly href: string;
	readonly note: string;
}

function Tiles({ status }: { readonly status: Status }) {
	const { events_24h, pending, subscriptions, forwarding, forwards } = status;
	const { active, paused, disabled } = subscriptions;
	const trouble = forwards.find((forward) => forward.trouble !== null)?.trouble;
	const forwardingState = forwards.length === 0 ? 'Off' : trouble ? TROUBLES[trouble] : 'On';
	const tiles: readonly TileProps[] = [
		{ name: 'Events', value: formatCount(events_24h), href: toUrl('events'), note: 'Last 24 hours' },
		{ name: 'Pending deliveries', value: formatCount(pending), href: toUrl('subscriptions'), note: 'View' },
		{
			name: 'Active subscriptions',
			value: formatCount(active),
			href: toUrl('subscriptions'),
			note: `${formatCount(paused)} paused, ${formatCount(disabled)} disabled`,
		},
		{
			name: 'Forwarding',
			value: forwardingState,
			href: forwarding.enabled ? toUrl('subscriptions', FORWARDING) : toUrl('overview'),
			note: `${formatCount(forwarding.pending)} pending`,
		},
	];
	return (
		<ul class="plain-list tiles">
			{tiles.map(({ name, value, href, note }) => (
				<li key={name}>
					<a href={href}>
						<span class="tile-name">{name}</span>
						<span class="tile-value">{value}</span>
						<span class="tile-note">{note}</span>
					</a>
				</li>
			))}
		</ul>
	);
}

/** What the relay itself forwards, in the words of an alarm. */
const FORWARDS: Readonly<Record<string, { readonly name: string; readonly missing: string }>> = {
	[FORWARDING]: { name: 'Forwarding to the service', missing: 'the service misses inbound messages and opt-outs' },
	sub_service_whatsapp: {
		name: 'Forwarding of WhatsApp messages',
		missing: 'the service misses inbound WhatsApp messages and opt-outs',
	},
	sub_callback: {
		name: 'Forwarding to the previous callback URL',
		missing: 'the program behind that URL misses receipts and alerts',
	},
};

function ForwardingAlarms({ forwards }: Pick<Status, 'forwards'>) {
	return (
		<div role="alert">
			{forwards.map((forward) => {
				const { subscription, label, trouble, pending, failed } = forward;
				if (trouble === null) return null;
				const { name, missing } = FORWARDS[subscription] ?? { name: label, missing: 'its receiver misses events' };
				return (
					<div class="alarm" key={subscription}>
						<p>
							<strong>
								<Trouble name={name} forward={forward} />
							</strong>{' '}
							{trouble === 'failing' && forward.last_error && `${forward.last_error}. `}
							{trouble === 'failed'
								? `Replay these deliveries. Without them, ${missing}.`
								: `Until it works, ${missing}.`}
						</p>
						<p>
							{formatCount(pending)} pending, {formatCount(failed)} failed.{' '}
							<a href={toUrl('subscriptions', subscription)}>See the forwarding</a>
						</p>
					</div>
				);
			})}
		</div>
	);
}

function Trouble({ name, forward }: { readonly name: string; readonly forward: Forward }) {
	const { trouble, failing_since, oldest_pending_at, failed } = forward;
	if (trouble === 'failing' && failing_since !== null) {
		return (
			<>
				{name} has failed for <Ago at={failing_since} plain />.
			</>
		);
	}
	if (trouble === 'late' && oldest_pending_at !== null) {
		return (
			<>
				{name} is late. An event has waited for <Ago at={oldest_pending_at} plain />.
			</>
		);
	}
	if (trouble === 'paused') return <>{name} is paused.</>;
	return (
		<>
			{name} gave up {failed === 1 ? '1 delivery' : `${formatCount(failed)} deliveries`}.
		</>
	);
}

/** Requests that a gateway meant as messages. A STOP may be among them. */
function UnrecognizedAlarm({ count }: { readonly count: number }) {
	return (
		<div role="alert">
			{count > 0 && (
				<div class="alarm">
					<p>
						<strong>
							The relay could not read {count === 1 ? '1 request' : `${formatCount(count)} requests`} of your gateway in
							the last 24 hours.
						</strong>{' '}
						No subscriber of messages gets such a request, and a STOP in it does not reach the service.
					</p>
					<p>
						Look for a STOP, then let your gateway send the fields from, to and message.{' '}
						<a href={toUrl('events', undefined, { type: 'unrecognized' })}>See these requests</a>
					</p>
				</div>
			)}
		</div>
	);
}

function WhatToPaste({ status: { ingest, public_url } }: { readonly status: Status }) {
	const isLocal = ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(public_url).hostname);
	return (
		<Card title="What to paste where">
			{isLocal && (
				<Hint>
					These addresses work on this machine only, which is enough for the sandbox. For the service, set
					RELAY_PUBLIC_URL to the public https address, and restart the relay.
				</Hint>
			)}
			<CopyLine name="Callback URL" id="callback-url" value={ingest.url} />
			<Hint>For the dashboard of the service. It brings delivery receipts and low-balance alerts.</Hint>
			<CopyLine name="Inbound URL" id="inbound-url" value={ingest.sms_url} />
			<Hint>For your SMS gateway. It brings inbound SMS.</Hint>
			<CopyLine name="Inbound URL for WhatsApp" id="whatsapp-url" value={ingest.whatsapp_url} />
			<Hint>For your WhatsApp gateway, if you use one.</Hint>
			<CopyLine name="Relay URL" id="relay-url" value={public_url} />
			<Hint>
				For n8n (credential Messaging Service Relay API), Zapier (connection) and your own programs, together with a{' '}
				<a href={toUrl('tokens')}>token</a>. Deliveries are signed per{' '}
				<a href="https://www.standardwebhooks.com/" target="_blank" rel="noreferrer noopener">
					Standard Webhooks
				</a>
				. Programs find the API in <a href="openapi.json">openapi.json</a>.
			</Hint>
		</Card>
	);
}

function LastEvents({ lastEvents }: { readonly lastEvents: Status['last_events'] }) {
	const last = (type: string, what: string, source: string) => (
		<LastEvent at={lastEvents[type] ?? null} type={type} what={what} source={source} />
	);
	return (
		<Card title="Last events">
			<h3>From the service</h3>
			<ul class="plain-list">
				{last('message.status', 'receipt', 'Paste the callback URL into the dashboard of the service.')}
				{last('wallet.low_balance', 'low-balance alert', '')}
			</ul>
			<h3>From the gateway</h3>
			<ul class="plain-list">
				{last('sms.inbound', 'inbound SMS', 'Paste the inbound URL into your SMS gateway.')}
				{last('whatsapp.inbound', 'inbound WhatsApp message', '')}
			</ul>
			{lastEvents.unrecognized && (
				<>
					<h3>Unrecognized</h3>
					<ul class="plain-list">{last('unrecognized', 'unrecognized request', '')}</ul>
				</>
			)}
		</Card>
	);
}

interface LastEventProps {
	readonly at: string | null;
	readonly type: string;
	/** Names the event. */
	readonly what: string;
	/** What to do if none has arrived. */
	readonly source: string;
}

function LastEvent({ at, type, what, source }: LastEventProps) {
	if (at === null) {
		return (
			<li>
				No {what} yet.{source && <span class="sub">{source}</span>}
			</li>
		);
	}
	const link = (text: ComponentChildren) => <a href={toUrl('events', undefined, { type })}>{text}</a>;
	return (
		<li>
			{Date.now() - Date.parse(at) > QUIET_MS ? (
				<>
					No {link(what)} for <Ago at={at} plain />
				</>
			) : (
				<>
					Last {link(what)}: <Ago at={at} />
				</>
			)}
		</li>
	);
}

function Forwarding({ forwarding }: Pick<Status, 'forwarding'>) {
	const { enabled, pending, failed } = forwarding;
	return (
		<Card title="Forwarding to the service">
			{enabled ? (
				<Facts
					facts={{
						Pending: formatCount(pending),
						Failed: formatCount(failed),
						Details: <a href={toUrl('subscriptions', FORWARDING)}>Forward to the service</a>,
					}}
				/>
			) : (
				<Hint>
					Off. Inbound messages do not reach the service’s inbox and opt-out list. To forward them, set
					RELAY_SERVICE_URL and restart the relay.
				</Hint>
			)}
		</Card>
	);
}
