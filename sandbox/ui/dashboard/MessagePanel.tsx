import type { MessageDetails } from '../../control/messages';
import { ActionButton } from '../../../ui/ActionButton';
import { Facts } from '../../../ui/Facts';
import { LinkedText } from '../../../ui/LinkedText';
import { toUrl } from '../../../ui/router';
import { type PanelProps, SidePanel } from '../../../ui/SidePanel';
import { Time } from '../../../ui/Time';
import { formatMoney } from './access';
import { CallbackStatus } from './CallbackPanel';
import { control } from './client';
import { channelName, formatWord, StatusBadge, textOf } from './StatusBadge';
import { useData } from '../useData';

const SENT = ['delivered', 'failed'];
const SUBMITTED = ['sent', ...SENT];
/** The statuses that can follow each. */
const NEXT: Readonly<Record<string, readonly string[]>> = {
	queued: ['submitted', ...SUBMITTED],
	submitted: SUBMITTED,
	sent: SENT,
};

/** The panel of one message. */
export function MessagePanel({ id, onClose }: PanelProps) {
	const { data, problem, refresh } = useData(
		['messages', 'callbacks'],
		async () => await control.call('GET messages/:id', { params: { id } }),
	);
	return (
		<SidePanel title="Message" problem={problem} onClose={onClose}>
			{data && <Details message={data} refresh={refresh} />}
		</SidePanel>
	);
}

function Details({ message, refresh }: { readonly message: MessageDetails; readonly refresh: () => Promise<void> }) {
	const { message_id: id, subject, status, timeline, callbacks } = message;
	const next = NEXT[status] ?? [];

	async function setStatus(status: string): Promise<void> {
		await control.call('POST messages/:id/status', { params: { id }, body: { status } });
		await refresh();
	}
	return (
		<>
			<p class="panel-status">
				<StatusBadge status={status} />
			</p>
			{subject && (
				<p class="subject" dir="auto">
					{subject}
				</p>
			)}
			<p class="quote" dir="auto">
				<LinkedText text={textOf(message.message)} />
			</p>
			<h3>Timeline</h3>
			<ol class="plain-list timeline">
				{timeline.map((step) => (
					<li key={step.status} data-status={step.status}>
						<strong>{formatWord(step.status)}</strong>
						<Time at={step.at} />
					</li>
				))}
			</ol>
			{next.length > 0 && (
				<>
					<p class="hint">Set the next status yourself instead of waiting.</p>
					<div class="buttons">
						{next.map((one) => (
							<ActionButton key={one} act={async () => await setStatus(one)}>
								Mark as {one}
							</ActionButton>
						))}
					</div>
				</>
			)}
			<h3>Details</h3>
			<Facts facts={factsOf(message)} />
			<h3>Callbacks</h3>
			{callbacks.length === 0 ? (
				<p class="hint">
					None yet. Receipts go to the callback URL under <a href={toUrl('callbacks')}>Callbacks</a>.
				</p>
			) : (
				<ul class="plain-list">
					{callbacks.map((callback) => (
						<li key={callback.id}>
							<a href={toUrl('callbacks', callback.id)}>Receipt: {formatWord(String(callback.fact.status ?? ''))}</a>{' '}
							<CallbackStatus callback={callback} />
						</li>
					))}
				</ul>
			)}
		</>
	);
}

function factsOf({
	to,
	sender_id,
	channel,
	billed_via,
	cost,
	segments,
	priority,
	batch_id,
	message_id,
}: MessageDetails) {
	return {
		To: <a href={toUrl('phone', to)}>{to}</a>,
		From: sender_id,
		Channel: channelName(channel),
		Cost: billed_via === 'package' ? 'from a package' : formatMoney(cost),
		Segments: segments,
		Route: priority ? 'priority' : 'normal',
		'Bulk send': batch_id && <span class="code">{batch_id}</span>,
		'Message ID': <span class="code">{message_id}</span>,
	};
}
