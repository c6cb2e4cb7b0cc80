import type { Subscription } from '../../subscriptions/schema';
import { ActionButton } from '../../../ui/ActionButton';
import { Ago } from '../../../ui/Ago';
import { Badge, type Tone } from '../../../ui/Badge';
import { CopyLine } from '../../../ui/CopyLine';
import { confirm } from '../../../ui/Dialog';
import { Facts } from '../../../ui/Facts';
import { type PanelProps, SidePanel } from '../../../ui/SidePanel';
import { Time } from '../../../ui/Time';
import { showToast } from '../../../ui/Toast';
import { relay } from './client';
import { useShared } from './shared';
import { counted, filterInWords, nameOf, typesInWords } from './words';

interface SubscriptionProps {
	readonly subscription: Subscription;
}

interface ChangeProps extends SubscriptionProps {
	/** Called after the subscription changed. */
	readonly onChange: () => Promise<void>;
}

const TONES: Readonly<Record<Subscription['state'], Tone>> = {
	active: 'good',
	paused: 'plain',
	leaving: 'busy',
	disabled: 'bad',
};

/** The state of a subscription, and how its receiver does. */
export function Health({ subscription: { state, health } }: SubscriptionProps) {
	const { failing_since, next_probe_at, last_success_at } = health;
	const isFailing = state === 'active' && failing_since !== null;
	return (
		<span>
			<Badge tone={isFailing ? 'bad' : TONES[state]}>{isFailing ? 'failing' : state}</Badge>
			{failing_since && (
				<span class="sub">
					{isFailing ? 'for' : 'failing for'} <Ago at={failing_since} plain />
				</span>
			)}
			{next_probe_at && (
				<span class="sub">
					events wait, next attempt <Ago at={next_probe_at} />
				</span>
			)}
			<span class="sub">
				{last_success_at ? (
					<>
						last success <Ago at={last_success_at} />
					</>
				) : (
					'no success yet'
				)}
			</span>
		</span>
	);
}

/** A button that pauses a subscription, or activates it. */
export function PauseButton({ subscription, onChange }: ChangeProps) {
	const { id } = subscription;
	const pauses = subscription.state === 'active';
	const name = nameOf(subscription);

	async function change(): Promise<void> {
		const state = pauses ? 'paused' : 'active';
		await relay.call('PATCH v1/subscriptions/:id', { params: { id }, body: { state } });
		showToast(pauses ? `${name} is paused. Its events wait.` : `${name} is active`);
		await onChange();
	}
	return (
		<ActionButton act={change} label={`${pauses ? 'Pause' : 'Activate'} ${name}`} look="small">
			{pauses ? 'Pause' : 'Activate'}
		</ActionButton>
	);
}

/** Properties of {@link SubscriptionPanel}. */
export interface SubscriptionPanelProps extends Pick<PanelProps, 'onClose'> {
	/** Undefined if it was deleted. */
	readonly subscription: Subscription | undefined;
	/** Called after the subscription changed. */
	readonly onChange: () => Promise<void>;
}

/** The panel of one subscription, with everything that can be done with it. */
export function SubscriptionPanel({ subscription, onChange, onClose }: SubscriptionPanelProps) {
	const problem = subscription ? '' : 'This subscription does not exist. It was deleted, or its token was revoked.';
	return (
		<SidePanel title="Subscription" problem={problem} onClose={onClose}>
			{subscription && (
				<>
					<p class="panel-status">
						<strong>{nameOf(subscription)}</strong>
					</p>
					<Details subscription={subscription} />
					<Actions subscription={subscription} onChange={onChange} onDelete={onClose} />
				</>
			)}
		</SidePanel>
	);
}

function Details({ subscription }: SubscriptionProps) {
	const { url, types, filter, reference, batch, state, reason, health, token, kind, created_at } = subscription;
	const { pending, failed, expired, oldest_pending_at, oldest_expires_at, next_probe_at, last_attempt } = health;
	const days = useShared().status?.retention_days;
	return (
		<>
			<CopyLine name="URL" value={url} />
			<Facts
				facts={{
					Health: <Health subscription={subscription} />,
					Reason: reason,
					'Last attempt': last_attempt && (
						<>
							{last_attempt.error ?? `Status ${last_attempt.status ?? 'none'}`}, {last_attempt.ms} ms,{' '}
							<Ago at={last_attempt.at} />
						</>
					),
					'Next attempt': next_probe_at && (
						<>
							<Ago at={next_probe_at} />. The receiver failed several times in a row, so its events wait. To try sooner,
							retry one of them.
						</>
					),
					Pending: (
						<>
							{pending}
							{oldest_pending_at && (
								<>
									, oldest for <Ago at={oldest_pending_at} plain />
								</>
							)}
							{state === 'paused' && oldest_expires_at && (
								<>
									. If it still waits, it is removed <Ago at={oldest_expires_at} />.
								</>
							)}
						</>
					),
					Failed: failed,
					Expired:
						expired > 0 &&
						`${counted(expired, 'event')}, removed while pending${days ? ` after ${counted(days, 'day')}` : ''}`,
					Types: typesInWords(types),
					Filter: filterInWords(filter) || 'None',
					Batch: batch && `Up to ${counted(batch.max, 'event')}, collected for ${batch.wait_ms} ms`,
					Reference: reference && <span class="code">{reference}</span>,
					Token: token ? `${token.name} (${kind})` : 'The relay’s own',
					Created: <Time at={created_at} />,
				}}
			/>
		</>
	);
}

interface ActionsProps extends ChangeProps {
	readonly onDelete: () => void;
}

/** n8n learns nothing about it, so this is the only place that says what a deletion means there. */
function afterDelete(kind: string): string {
	if (kind === 'n8n') return 'The workflow stays published in n8n, but gets no more events until you publish it again.';
	if (kind === 'zapier') return 'Zapier turns the Zap off. To get events again, turn it on there.';
	return 'It gets no more events.';
}

function Actions({ subscription, onChange, onDelete }: ActionsProps) {
	const { id, kind, state, token, health } = subscription;
	const name = nameOf(subscription);
	const params = { id };

	async function test(): Promise<void> {
		await relay.call('POST v1/subscriptions/:id/test', { params });
		showToast(state === 'active' ? 'Test event sent' : 'The test event waits until the subscription is active.');
		await onChange();
	}
	async function replayFailed(): Promise<void> {
		const { replayed, has_more } = await relay.call('POST v1/subscriptions/:id/replay-failed', { params });
		const more = has_more ? ' More have failed, so press it again.' : '';
		showToast(`Replay of ${counted(replayed, 'event')} started.${more}`);
		await onChange();
	}
	async function remove(): Promise<void> {
		const agreed = await confirm({
			title: `Delete ${name}?`,
			text: `${afterDelete(kind)} It has ${counted(health.pending, 'pending delivery', 'pending deliveries')}. You cannot undo this.`,
			action: 'Delete',
		});
		if (!agreed) return;
		await relay.call('DELETE v1/subscriptions/:id', { params });
		showToast(`${name} was deleted`);
		onDelete();
	}
	return (
		<div class="buttons">
			<PauseButton subscription={subscription} onChange={onChange} />
			<ActionButton act={test} look="small">
				Send test event
			</ActionButton>
			{health.failed > 0 && (
				<ActionButton act={replayFailed} look="small">
					Replay failed
				</ActionButton>
			)}
			{/* The relay's own subscriptions come from its settings. */}
			{token && (
				<ActionButton act={remove} look="small danger">
					Delete
				</ActionButton>
			)}
		</div>
	);
}
