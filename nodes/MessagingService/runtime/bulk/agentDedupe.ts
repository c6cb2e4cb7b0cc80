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
import { fingerprint } from '../fingerprint';
import { BoundedMap } from '../webhook/boundedMap';
import { ExecutionCache } from '../executionCache';
import type { BulkPlan } from './bulkPlan';

/** What became of one recipient, without the number: memory holds none. */
type PastOutcome = Promise<RecipientResult>;

const taken = new ExecutionCache<PastOutcome>({
	maxIdleMs: 60 * 60 * 1000,
	maxEntries: 20_000,
	runningMs: 10 * 60 * 1000,
});

/** Recipients of callers that have no execution. */
const takenRecently = new BoundedMap<PastOutcome>(MAX_RECENT);

/** An agent's bulk send, as far as it is about recipients that get the message for the first time. */
export interface AgentRecipients {
	readonly plan: BulkPlan;
	/**
	 * Ends it: recipients to whom certainly nothing was sent may be sent to by another call.
	 * @param results of the plan
	 * @returns the rows of the recipients that an earlier call had taken: what it came to for them
	 */
	finish(results: readonly BatchResult[]): Promise<RecipientResult[]>;
}

/** Where it stands which recipient was taken for which message, and what became of it. */
interface Names {
	get(name: string): PastOutcome | undefined;
	/** While the message is in flight. */
	take(name: string, fate: PastOutcome): void;
	/** The message was accepted, or may have been. */
	keep(name: string, fate: PastOutcome): void;
	delete(name: string): void;
}

function namesOf(executionId: string | undefined): Names {
	if (executionId) {
		const names = taken.of(executionId);
		return {
			get: (name) => names.get(name),
			take: (name, fate) => names.set(name, fate),
			keep: () => undefined,
			delete: (name) => names.delete(name),
		};
	}
	return {
		get: (name) => takenRecently.get(name, Date.now()),
		take: (name, fate) => {
			takenRecently.set(name, fate, Infinity);
		},
		keep: (name, fate) => {
			takenRecently.set(name, fate, Date.now() + RECENT_MS);
		},
		delete: (name) => {
			takenRecently.delete(name);
		},
	};
}

/** One recipient of one message that this call has taken. */
interface Mine {
	readonly fate: PastOutcome;
	readonly settle: (result: RecipientResult) => void;
}

/**
 * Takes the recipients of an agent's bulk send for this call. A recipient that an earlier call of the execution took for
 * the same message is set aside: an agent that is not sure calls again, with the same people in another order or with more.
 * The time is not part of the message: one that the node computes is another one in each call.
 */
export function reserveForAgent(context: IExecuteFunctions, { batches, skipped }: BulkPlan): AgentRecipients {
	const executionId = context.getExecutionId();
	const names = namesOf(executionId);
	const { id } = context.getWorkflow();
	const { name } = context.getNode();
	const nameOf = ({ sender_id, message }: Batch['input'], to: string) => fingerprint(id, name, sender_id, message, to);
	const mine = new Map<string, Mine>();
	const repeated: Array<{ readonly recipient: Recipient; readonly first: PastOutcome }> = [];
	const left = keepRecipients(batches, (recipient, input) => {
		const text = nameOf(input, recipient.to);
		const first = names.get(text);
		if (first) {
			repeated.push({ recipient, first });
			return false;
		}
		let settle: Mine['settle'] = () => undefined;
		const fate = new Promise<RecipientResult>((resolve) => (settle = resolve));
		names.take(text, fate);
		mine.set(text, { fate, settle });
		return true;
	});
	return {
		plan: { batches: left, skipped },
		finish: async (results) => {
			const fates = new Map<string, RecipientResult>();
			for (const result of results) {
				for (const one of recipientResults(result)) fates.set(nameOf(result.input.input, one.to), one);
			}
			for (const [text, { fate, settle }] of mine) {
				const known = fates.get(text) ?? LOST;
				if (known.outcome === 'accepted' || known.outcome === 'unknown') names.keep(text, fate);
				else names.delete(text);
				settle({ ...known, ...NOBODY });
			}
			// Not before our own are settled: two calls could wait for each other.
			return await Promise.all(
				repeated.map(async ({ recipient, first }) => repeat(recipient, await first, executionId)),
			);
		},
	};
}

const NOBODY: Recipient = { to: '', source: 0, position: 0 };

/** What became of a recipient of whom no result tells. */
const LOST: RecipientResult = {
	...NOBODY,
	outcome: 'unknown',
	error: new UnknownOutcomeError('The call that sent this message ended without a result.', {
		endpoint: 'sms.sendBulk',
		sent: 'unknown',
		hint: 'Look into the message history of the service before you send it again.',
	}),
};

/** The row of a recipient whose message an earlier call sent: what that call was told is true of this one. */
function repeat(recipient: Recipient, first: RecipientResult, executionId: string | undefined): RecipientResult {
	if (first.outcome !== 'accepted') return { ...first, ...recipient };
	const message = `This message was sent to this number ${whenOf(executionId)}: nothing was sent and nothing was charged now. To send it again on purpose, change its text.`;
	return { ...recipient, outcome: 'skipped', reason: 'already_sent', message };
}
