import { useState } from 'preact/hooks';
import type { Overview as State } from '../../../control/overview';
import { Card, Hint } from '../../../../ui/Card';
import { Chart } from '../../../../ui/Chart';
import { CopyButton } from '../../../../ui/CopyButton';
import { CopyLine } from '../../../../ui/CopyLine';
import { formatAmount, formatCount } from '../../../../ui/format';
import { toUrl } from '../../../../ui/router';
import { access } from '../access';
import { control } from '../client';
import { SendMessage } from '../SendMessage';
import { useData } from '../../useData';

const ranges = [
	{ by: 'hour', label: 'Last 24 hours', count: 24 },
	{ by: 'day', label: 'Last 30 days', count: 30 },
] as const;

type Range = (typeof ranges)[number];

/** The state of the account, the first steps, and the connection details. */
export function Overview() {
	const [range, setRange] = useState<Range>(ranges[0]);
	const { by, count } = range;
	const { data: state } = useData(
		['messages', 'wallet', 'packages', 'inbox', 'opt_outs', 'clock', 'batches'],
		async () => ({ by, ...(await control.call('GET overview', { query: { by, count } })) }),
		by,
	);
	const { data: senderIds } = useData(['sender_ids'], async () => await control.call('GET sender-ids'));
	const { data: keys } = useData(['keys'], async () => await control.call('GET keys'));
	const total = state ? totalOf(state) : 0;
	return (
		<>
			{state && total === 0 && state.inbox === 0 && <Welcome />}
			<ul class="plain-list tiles">
				{state && tilesOf(state, total).map((tile) => <Tile key={tile.name} {...tile} />)}
			</ul>
			<div class="columns">
				<div>
					<Card title="Messages and money over time">
						<div class="segments" role="group" aria-label="Period">
							{ranges.map((one) => (
								<button key={one.by} type="button" aria-pressed={one.by === by} onClick={() => setRange(one)}>
									{one.label}
								</button>
							))}
						</div>
						<History by={state?.by ?? by} series={state?.series ?? []} currency={state?.currency ?? access.currency} />
					</Card>
				</div>
				<div>
					<SendMessage senderIds={senderIds ?? []} />
					<Connect revoked={keys?.some(({ id, revoked_at }) => id === 1 && revoked_at !== null) ?? false} />
				</div>
			</div>
		</>
	);
}

function totalOf({ messages }: State): number {
	return Object.values(messages).reduce((sum, count) => sum + count, 0);
}

function Welcome() {
	return (
		<div class="welcome">
			<h2>Welcome. Nothing here costs money, and no real messages are sent.</h2>
			<ol>
				<li>
					<strong>Send a message</strong>
					<p>Press “Send” under “Send a message”. The form is already filled in.</p>
				</li>
				<li>
					<strong>See it arrive</strong>
					<p>
						Open the <a href={toUrl('phone')}>phone</a>. It shows the message, and you can reply.
					</p>
				</li>
				<li>
					<strong>Connect your tool</strong>
					<p>Copy the base URL and the API key from “Connection details” into n8n or Zapier.</p>
				</li>
			</ol>
		</div>
	);
}

interface TileProps {
	readonly name: string;
	readonly value: string;
	readonly unit?: string;
	readonly href: string;
	readonly note: string;
}

function tilesOf({ balance, currency, package_credits, messages, inbox, opt_outs }: State, total: number): TileProps[] {
	const of = (status: string) => messages[status] ?? 0;
	const pending = of('queued') + of('submitted') + of('sent');
	const byStatus = (status: string) => toUrl('messages', undefined, { status });
	return [
		{ name: 'Balance', value: formatAmount(balance), unit: currency, href: toUrl('top-ups'), note: 'Top up' },
		{ name: 'Package credits', value: formatCount(package_credits), href: toUrl('top-ups'), note: 'Used first' },
		{ name: 'Messages', value: formatCount(total), href: toUrl('messages'), note: `${formatCount(pending)} pending` },
		{ name: 'Delivered', value: formatCount(of('delivered')), href: byStatus('delivered'), note: 'View' },
		{ name: 'Failed', value: formatCount(of('failed')), href: byStatus('failed'), note: 'Refunded' },
		{ name: 'Inbox', value: formatCount(inbox), href: toUrl('inbox'), note: `Opt-outs: ${formatCount(opt_outs)}` },
	];
}

/** Number of characters from which a value is written smaller. */
const LONG_VALUE = 8;

function Tile({ name, value, unit = '', href, note }: TileProps) {
	return (
		<li>
			<a href={href}>
				<span class="tile-name">{name}</span>
				<span class="tile-value" data-long={(unit + value).length > LONG_VALUE || undefined}>
					{unit && <small>{unit} </small>}
					{value}
				</span>
				<span class="tile-note">{note}</span>
			</a>
		</li>
	);
}

const hour = new Intl.DateTimeFormat(undefined, {
	weekday: 'short',
	hour: '2-digit',
	minute: '2-digit',
	hourCycle: 'h23',
});
const day = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric', month: 'short' });

function History({ by, series, currency }: Pick<State, 'series' | 'currency'> & Pick<Range, 'by'>) {
	const messages = series.map((slot) => ({ from: slot.from, value: slot.messages }));
	const spent = series.map((slot) => ({ from: slot.from, value: slot.spent }));
	return (
		<>
			<div class="charts">
				<Chart name="Messages" bars={messages} by={by} />
				<Chart name="Spent" bars={spent} by={by} format={formatAmount} unit={currency} />
			</div>
			<details>
				<summary>Show as table</summary>
				{/* A scrolling part needs the focus, so the keyboard can scroll it. */}
				<div class="scroll" tabIndex={0} role="region" aria-label="Messages and money over time">
					<table class="plain">
						<thead>
							<tr>
								<th scope="col">From</th>
								<th scope="col" class="number">
									Messages
								</th>
								<th scope="col" class="number">
									Spent ({currency})
								</th>
							</tr>
						</thead>
						<tbody>
							{series.toReversed().map((slot) => (
								<tr key={slot.from}>
									<th scope="row">{(by === 'hour' ? hour : day).format(new Date(slot.from))}</th>
									<td class="number">{formatCount(slot.messages)}</td>
									<td class="number">{formatAmount(slot.spent)}</td>
								</tr>
							))}
						</tbody>
					</table>
				</div>
			</details>
		</>
	);
}

function Connect({ revoked }: { readonly revoked: boolean }) {
	const { baseUrl, apiKey } = access;
	const example = JSON.stringify({ to: '+233201234567', sender_id: 'KOFISHOP', message: 'We are open 8 am to 6 pm.' });
	const command = [
		`curl ${baseUrl}sms/send`,
		`-H 'X-API-Key: ${apiKey}'`,
		`-H 'Content-Type: application/json'`,
		`-d '${example}'`,
	].join(' \\\n  ');
	return (
		<Card title="Connection details">
			<Hint>
				Enter these in your n8n credential, your Zapier connection or your own program. The <a href="/docs">API</a> has
				an example of each call.
			</Hint>
			<CopyLine name="Base URL" id="base-url" value={baseUrl} />
			<CopyLine name="API key" id="api-key" value={apiKey} />
			{revoked && (
				<p class="problem">
					This key was revoked. Create a new one under <a href={toUrl('keys')}>Keys</a>.
				</p>
			)}
			<details>
				<summary>From a terminal</summary>
				<pre tabIndex={0}>
					<code>{command}</code>
				</pre>
				<p class="buttons">
					<CopyButton value={command} what="the command" />
				</p>
			</details>
		</Card>
	);
}
