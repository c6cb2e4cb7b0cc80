import type { IExecuteFunctions } from 'n8n-workflow';
import {
	keepRecipients,
	recipientResults,
	UnknownOutcomeError,
	type Batch,
	type BatchResult,
	type Recipient,
	type RecipientResult,
} from '../../../../shared';
import { whenOf } from '../alreadySent';
import { MAX_RECENT, RECENT_MS } from '../callOnce';
import { BoundedMap } from '../boundedMap';
import { fingerprint } from '../fingerprint';
import { ExecutionCache } from '../executionCache';
import type { BulkPlan } from './bulkPlan';

/** The outcome of one recipient, without the number: memory holds no phone numbers. */
type PastOutcome = Promise<RecipientResult>;

const reserved = new ExecutionCache<PastOutcome>({
	maxIdleMs: 60 * 60 * 1000,
	maxEntries: 20_000,
	runningMs: 10 * 60 * 1000,
});

/** The same for callers that have no execution. */
const reservedRecently = new BoundedMap<PastOutcome>(MAX_RECENT);

/** The part of an agent's bulk send whose recipients get the message for the first time. */
export interface AgentRecipients {
	readonly plan: BulkPlan;
	/**
	 * Ends the reservation. Another call may send to recipients that certainly got nothing.
	 * @param results of the plan
	 * @returns the rows of the recipients that an earlier call had reserved, with its outcomes
	 */
	finish(results: readonly BatchResult[]): Promise<RecipientResult[]>;
}

/** Reserved recipients and their outcomes, by message and recipient. */
interface Reservations {
	get(name: string): PastOutcome | undefined;
	/** Reserves a recipient while the message is in flight. */
	reserve(name: string, outcome: PastOutcome): void;
	/** Keeps a recipient whose message was accepted, or may have been. */
	keep(name: string, outcome: PastOutcome): void;
	delete(name: string): void;
}

function reservationsOf(executionId: string | undefined): Reservations {
	if (executionId) {
		const names = reserved.of(executionId);
		return {
			get: (name) => names.get(name),
			reserve: (name, outcome) => names.set(name, outcome),
			keep: () => undefined,
			delete: (name) => names.delete(name),
		};
	}
	return {
		get: (name) => reservedRecently.get(name),
		reserve: (name, outcome) => {
			reservedRecently.set(name, outcome, Infinity);
		},
		keep: (name, outcome) => {
			reservedRecently.set(name, outcome, RECENT_MS);
		},
		delete: (name) => {
			reservedRecently.delete(name);
		},
	};
}

/** One recipient of one message that this call has reserved. */
interface OwnReservation {
	readonly outcome: PastOutcome;
	readonly settle: (result: RecipientResult) => void;
}

/**
 * Reserves the recipients of an agent's bulk send for this call. Leaves out recipients that an earlier call of the
 * execution reserved for the same message. An agent that is not sure calls again, with the same recipients in another
 * order or with more. The time is not compared, because a time that the node computes differs in each call.
 */
export function reserveForAgent(context: IExecuteFunctions, { batches, skipped }: BulkPlan): AgentRecipients {
	const executionId = context.getExecutionId();
	const names = reservationsOf(executionId);
	const { id } = context.getWorkflow();
	const { name } = context.getNode();
	const nameOf = ({ sender_id, message }: Batch['input'], to: string) => fingerprint(id, name, sender_id, message, to);
	const mine = new Map<string, OwnReservation>();
	const repeated: Array<{ readonly recipient: Recipient; readonly first: PastOutcome }> = [];
	const left = keepRecipients(batches, (recipient, input) => {
		const text = nameOf(input, recipient.to);
		const first = names.get(text);
		if (first) {
			repeated.push({ recipient, first });
			return false;
		}
		let settle: OwnReservation['settle'] = () => undefined;
		const outcome = new Promise<RecipientResult>((resolve) => (settle = resolve));
		names.reserve(text, outcome);
		mine.set(text, { outcome, settle });
		return true;
	});
	return {
		plan: { batches: left, skipped },
		finish: async (results) => {
			const outcomes = new Map<string, RecipientResult>();
			for (const result of results) {
				for (const one of recipientResults(result)) outcomes.set(nameOf(result.input.input, one.to), one);
			}
			for (const [text, { outcome, settle }] of mine) {
				const known = outcomes.get(text) ?? NO_RESULT;
				if (known.outcome === 'accepted' || known.outcome === 'unknown') names.keep(text, outcome);
				else names.delete(text);
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
	const message = `This message was already sent to this number ${whenOf(executionId)}. Nothing was sent or charged now. To send it again on purpose, change its text.`;
	return { ...recipient, outcome: 'skipped', reason: 'already_sent', message };
}
