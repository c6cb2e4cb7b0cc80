import { contract, type Batch, type BulkInput, type Recipient } from '../../../../shared';
import { fingerprint } from '../../memory/fingerprint';
import type { Call, Run } from '../operation';

/**
 * Names one intended message within an execution. In a workflow the name is the place (node, run and item), because a
 * text that contains the time must not look like another message. For an agent's calls the name is the content, because
 * n8n gives them no separate places: parallel calls share run and item, and sometimes even the text of the first. The
 * time is left out, because a time that the node computes differs in each call.
 */
export function nameOf(run: Run, { endpoint, input }: Call, place: number | string): string {
	const { context, byAgent } = run;
	if (!byAgent) return placeName(run, place);
	const content = Object.entries(input)
		.filter(([field]) => field !== 'schedule_at')
		.map(([field, value]) => [field, field === 'to' ? [value].flat() : value]);
	// Sending Hours make a bulk send to one of a send, so both have one name.
	const id = endpoint.id === contract.sms.sendBulk.id ? contract.sms.send.id : endpoint.id;
	return fingerprint(context.getWorkflow().id, context.getNode().name, id, JSON.stringify(content));
}

/** Names the message in a place of a run, whatever it contains. */
export function placeName({ name }: Run, place: number | string): string {
	return `${name}/${place}`;
}

/** The number of a recipient's message among all messages of the run to the same number, from 1. */
const ranks = new WeakMap<Recipient, number>();

/**
 * Numbers the messages of a bulk send to the same number, so that {@link nameOfRecipient} tells them apart.
 * @param batches all that a run has planned, before they are divided
 */
export function rankRecipients(batches: readonly Batch[]): void {
	const counts = new Map<string, number>();
	for (const recipient of batches.flatMap(({ recipients }) => recipients)) {
		const rank = (counts.get(recipient.to) ?? 0) + 1;
		counts.set(recipient.to, rank);
		ranks.set(recipient, rank);
	}
}

/**
 * Names the message to one recipient of a bulk send, as {@link nameOf} names a message of its own. The place in a workflow
 * is the number. Another process may read the items in another order, or group them in another way.
 */
export function nameOfRecipient(
	run: Run,
	input: Pick<BulkInput, 'sender_id' | 'message'>,
	recipient: Recipient,
): string {
	const { to } = recipient;
	return run.byAgent ? contentOfRecipient(run, input, to) : placeName(run, `${to} ${ranks.get(recipient) ?? 1}`);
}

/** Names the content that an agent sends to one recipient, without the time. */
export function contentOfRecipient(
	{ context }: Pick<Run, 'context'>,
	{ sender_id, message }: Pick<BulkInput, 'sender_id' | 'message'>,
	to: string,
): string {
	return fingerprint(context.getWorkflow().id, context.getNode().name, sender_id, message, to);
}
