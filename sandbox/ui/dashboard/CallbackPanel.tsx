import type { CallbackRow } from '../../control/callbacks';
import { ActionButton } from '../../../ui/ActionButton';
import { Attempts } from '../../../ui/Attempts';
import { Badge } from '../../../ui/Badge';
import { Facts } from '../../../ui/Facts';
import { toUrl } from '../../../ui/router';
import { type PanelProps, SidePanel } from '../../../ui/SidePanel';
import { Time } from '../../../ui/Time';
import { showToast } from '../../../ui/Toast';
import { formatMoney } from './access';
import { control } from './client';
import { formatWord, textOf } from './StatusBadge';
import { useData } from '../useData';

/** Describes a callback in a few words. */
export function describe({ event, fact }: Pick<CallbackRow, 'event' | 'fact'>): string {
	if (event === 'wallet.low_balance') return `Low balance: ${formatMoney(Number(fact.balance))}`;
	if (event === 'sms.inbound') return `SMS: ${textOf(String(fact.message ?? ''))}`;
	if (event === 'whatsapp.inbound') return `WhatsApp: ${textOf(String(fact.message ?? ''))}`;
	return `Receipt: ${formatWord(String(fact.status ?? ''))}`;
}

/** The result of the last attempt, and the time of the next one. */
export function CallbackStatus({ callback }: { readonly callback: CallbackRow }) {
	const { status, http_status, attempt_count, next_attempt_at } = callback;
	const response = attempt_count === 0 ? undefined : http_status === null ? 'no response' : String(http_status);
	if (status === 'delivered') return <Badge tone="good">{response ?? 'accepted'}</Badge>;
	if (response === undefined) return <Badge tone="busy">waiting</Badge>;
	return (
		<span>
			<Badge tone="bad">{response}</Badge>
			{status === 'given_up' ? (
				<span class="sub">gave up</span>
			) : (
				next_attempt_at && (
					<span class="sub">
						retrying at <Time at={next_attempt_at} short />
					</span>
				)
			)}
		</span>
	);
}

/** A button that delivers a callback again. */
export function ReplayButton({ id, onReplay }: { readonly id: number; readonly onReplay: () => Promise<void> }) {
	async function replay(): Promise<void> {
		await control.call('POST callbacks/:id/replay', { params: { id } });
		showToast('Replay started');
		await onReplay();
	}
	return (
		<ActionButton act={replay} label={`Replay callback ${id}`} look="small">
			Replay
		</ActionButton>
	);
}

/** The panel of one callback, with every attempt. */
export function CallbackPanel({ id, onClose }: PanelProps) {
	const { data, problem, refresh } = useData(
		['callbacks'],
		async () => await control.call('GET callbacks/:id', { params: { id } }),
	);
	return (
		<SidePanel title="Callback" problem={problem} onClose={onClose}>
			{data && (
				<>
					<p class="panel-status">
						<strong>{describe(data)}</strong> <CallbackStatus callback={data} />
					</p>
					<Facts
						facts={{
							URL: <span class="code breakable">{data.url}</span>,
							Message: data.message_id && <a href={toUrl('messages', data.message_id)}>{data.message_id}</a>,
							'Next attempt': data.next_attempt_at && <Time at={data.next_attempt_at} />,
						}}
					/>
					<div class="buttons">
						<ReplayButton id={data.id} onReplay={refresh} />
					</div>
					<h3>Attempts</h3>
					<Attempts attempts={data.attempts.map(({ answer, ...attempt }) => ({ ...attempt, response: answer }))} />
				</>
			)}
		</SidePanel>
	);
}
