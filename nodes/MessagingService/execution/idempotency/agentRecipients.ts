import {
	firstMessage,
	keepRecipients,
	recipientResults,
	UnknownOutcomeError,
	type Batch,
	type BatchResult,
	type Recipient,
	type RecipientResult,
} from '../../../../shared';
import type { Run } from '../operation';
import { Ledger, whenOf } from './ledger';
import { contentOfRecipient } from './messageNames';

/** Reserved recipients and their outcomes, without the numbers: memory holds no phone numbers. */
const reserved = new Ledger<RecipientResult>();

/** The part of an agent's bulk send whose recipients get the message for the first time. */
export interface AgentRecipients {
	readonly batches: readonly Batch[];
	/**
	 * Ends the reservation. Another call may send to recipients that certainly got nothing.
	 * @param results of the batches
	 * @returns the rows of the recipients that an earlier call had reserved, with its outcomes
	 */
	finish(results: readonly BatchResult[]): Promise<RecipientResult[]>;
}

/** One recipient of one message that this call has reserved. */
interface OwnReservation {
	readonly outcome: Promise<RecipientResult>;
	readonly settle: (result: RecipientResult) => void;
}

/**
 * Reserves the recipients of an agent's bulk send for this call. Leaves out recipients that an earlier call of the
 * execution reserved for the same message. An agent that is not sure calls again, with the same recipients in another
 * order or with more. The time is not compared, because a time that the node computes differs in each call. A dry run
 * reserves nothing.
 */
export function reserveForAgent({ context, dryRun, executionId }: Run, batches: readonly Batch[]): AgentRecipients {
	const messages = reserved.of(executionId);
	const nameOf = (input: Batch['input'], to: string) => contentOfRecipient({ context }, input, to);
	const mine = new Map<string, OwnReservation>();
	const repeated: Array<{ readonly recipient: Recipient; readonly first: Promise<RecipientResult> }> = [];
	const left = keepRecipients(batches, (recipient, input) => {
		const text = nameOf(input, recipient.to);
		const first = messages.get(text);
		if (first) {
			repeated.push({ recipient, first });
			return false;
		}
		if (dryRun) return true;
		let settle: OwnReservation['settle'] = () => undefined;
		const outcome = new Promise<RecipientResult>((resolve) => (settle = resolve));
		messages.add(text, outcome);
		mine.set(text, { outcome, settle });
		return true;
	});
	return {
		batches: left,
		finish: async (results) => {
			const outcomes = new Map<string, RecipientResult>();
			for (const result of results) {
				for (const one of recipientResults(result)) outcomes.set(nameOf(result.input.input, one.to), one);
			}
			for (const [text, { outcome, settle }] of mine) {
				const known = outcomes.get(text) ?? NO_RESULT;
				if (known.outcome === 'accepted' || known.outcome === 'unknown') messages.keep(text, outcome);
				else messages.delete(text);
				settle({ ...known, ...NO_RECIPIENT });
			}
			// Only after our own are settled. Otherwise two calls could wait for each other.
			return await Promise.all(
				repeated.map(async ({ recipient, first }) => repeat(recipient, await first, executionId)),
			);
		},
	};
}

const NO_RECIPIENT: Recipient = { to: '', source: 0, position: 0 };

/** The outcome of a recipient without a result. */
const NO_RESULT: RecipientResult = {
	...NO_RECIPIENT,
	outcome: 'unknown',
	error: new UnknownOutcomeError('The call that sent this message ended without a result.', {
		endpoint: 'sms.sendBulk',
		sent: 'unknown',
		hint: 'Check your message history before you send it again.',
	}),
};

/** Makes the row of a recipient to whom an earlier call sent the message. That call's outcome is also this one's. */
function repeat(recipient: Recipient, first: RecipientResult, executionId: string | undefined): RecipientResult {
	if (first.outcome !== 'accepted') return { ...first, ...recipient };
	const message = sentByAgent(executionId);
	const output = firstMessage(first);
	return { ...recipient, outcome: 'skipped', reason: 'already_sent', message, first: { outcome: 'accepted', output } };
}

/** The sentence about a recipient to whom an agent sent the message before. */
export function sentByAgent(executionId: string | undefined): string {
	return `This message was already sent to this number ${whenOf(executionId)}. Nothing was sent or charged now. To send it again on purpose, change its text.`;
}
