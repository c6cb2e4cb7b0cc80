import type { RequestDetails, RequestRow } from '../../control/requests';
import { Badge, type Tone } from '../../../ui/Badge';
import { Hint } from '../../../ui/Card';
import { Code, formatBody } from '../../../ui/Code';
import { Facts } from '../../../ui/Facts';
import { formatCount } from '../../../ui/format';
import { toUrl } from '../../../ui/router';
import { type PanelProps, SidePanel } from '../../../ui/SidePanel';
import { Time } from '../../../ui/Time';
import { control } from './client';
import { formatWord } from './StatusBadge';
import { useData } from '../useData';

/** The status of a response, in its color. */
export function ResponseStatus({ request }: { readonly request: RequestRow }) {
	const { status, failed, milliseconds } = request;
	if (status === null) {
		return milliseconds === null ? <Badge tone="busy">waiting</Badge> : <Badge tone="bad">no response</Badge>;
	}
	const tone: Tone = !failed ? 'good' : status >= 500 ? 'bad' : 'busy';
	return <Badge tone={tone}>{status}</Badge>;
}

/** Formats a duration in milliseconds: `0.8 ms`, `25 ms`, `301 s`. */
export function formatDuration(milliseconds: number | null): string {
	if (milliseconds === null) return '–';
	if (milliseconds >= 10_000) return `${formatCount(Math.round(milliseconds / 1000))} s`;
	return `${milliseconds < 10 ? milliseconds : Math.round(milliseconds)} ms`;
}

/** The panel of one API request, with its response. */
export function RequestPanel({ id, onClose }: PanelProps) {
	const { data, problem } = useData(
		['requests'],
		async () => await control.call('GET requests/:id', { params: { id } }),
	);
	return (
		<SidePanel title="API request" problem={problem} onClose={onClose}>
			{data && <Details request={data} />}
		</SidePanel>
	);
}

function Details({ request: row }: { readonly request: RequestDetails }) {
	const { method, path, query, endpoint, key, fault, reason, milliseconds, at, request, response, records } = row;
	return (
		<>
			<p class="panel-status">
				<strong class="code breakable">{`${method} ${path}${query}`}</strong> <ResponseStatus request={row} />
			</p>
			{reason && <p class="problem">{reason}</p>}
			<Facts
				facts={{
					Time: <Time at={at} />,
					Duration: formatDuration(milliseconds),
					Endpoint: endpoint,
					Key: key && `${key.name}, ${key.hint}`,
					Fault: fault && <a href={toUrl('faults')}>{formatWord(fault)}</a>,
					Records:
						records.length === 0
							? null
							: records.map((record) => (
									<span class="sub" key={record}>
										<Record id={record} />
									</span>
								)),
				}}
			/>
			<h3>Request</h3>
			<Facts facts={request.headers} />
			<Body name="Request body" {...request} />
			<h3>Response</h3>
			<Facts facts={response.headers} />
			<Body name="Response body" {...response} />
		</>
	);
}

/** A link to a message, a bulk send or a top-up. */
function Record({ id }: { readonly id: string }) {
	if (id.startsWith('top_')) return <a href={toUrl('top-ups')}>{id}</a>;
	return (
		<a href={id.startsWith('bulk_') ? toUrl('messages', undefined, { batch: id }) : toUrl('messages', id)}>{id}</a>
	);
}

interface BodyProps {
	readonly name: string;
	readonly headers: Readonly<Record<string, string | undefined>>;
	readonly body: string;
	/** Whether only the beginning was kept. */
	readonly cut: boolean;
}

function Body({ name, headers, body, cut }: BodyProps) {
	return (
		<>
			<h4>{name}</h4>
			{body === '' ? <Hint>Empty.</Hint> : <Code name={name} text={formatBody(body, headers['content-type'] ?? '')} />}
			{cut && <Hint>Only the beginning of the body is kept.</Hint>}
		</>
	);
}
