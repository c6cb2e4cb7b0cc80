import type { IExecuteFunctions } from 'n8n-workflow';
import {
	keepRecipients,
	recipientResults,
	type Batch,
	type BatchResult,
	type SkippedRecipient,
} from '../../../../shared';
import { whenOf } from '../alreadySent';
import { MAX_RECENT, RECENT_MS } from '../callOnce';
import { fingerprint } from '../fingerprint';
import { BoundedMap } from '../inbound/boundedMap';
import { PerExecution } from '../perExecution';
import type { BulkPlan } from './bulkPlan';

const taken = new PerExecution<true>({ maxIdleMs: 60 * 60 * 1000, maxEntries: 20_000, runningMs: 10 * 60 * 1000 });

/** Recipients of callers that have no execution. */
const takenRecently = new BoundedMap<true>(MAX_RECENT);

/** Longest time that a bulk send of such a caller may be in flight, in milliseconds. */
const LONGEST_SEND_MS = 60 * 60 * 1000;

/** What of an agent's bulk send is left to do. */
export interface AgentTexts {
	readonly plan: BulkPlan;
	/** Lets those recipients be sent to by another call that were certainly not; all, if nothing was sent. */
	giveBack(results?: readonly BatchResult[]): void;
}

/** Where it stands which recipient was taken for which message. */
interface Names {
	has(name: string): boolean;
	take(name: string): void;
	/** The message was accepted, or may have been. */
	keep(name: string): void;
	delete(name: string): void;
}

function namesOf(executionId: string | undefined): Names {
	if (executionId) {
		const names = taken.of(executionId);
		return {
			has: (name) => names.has(name),
			take: (name) => names.set(name, true),
			keep: () => undefined,
			delete: (name) => names.delete(name),
		};
	}
	return {
		has: (name) => takenRecently.get(name, Date.now()) === true,
		take: (name) => {
			takenRecently.set(name, true, Date.now() + LONGEST_SEND_MS);
		},
		keep: (name) => {
			takenRecently.set(name, true, Date.now() + RECENT_MS);
		},
		delete: (name) => {
			takenRecently.delete(name);
		},
	};
}

/**
 * Takes the recipients of an agent's bulk send for this call. A recipient that an earlier call of the execution took for
 * the same message is set aside: an agent that is not sure calls again, with the same people in another order or with more.
 * The time is not part of the message: one that the node computes is another one in each call.
 */
export function takeForAgent(context: IExecuteFunctions, { batches, skipped }: BulkPlan): AgentTexts {
	const executionId = context.getExecutionId();
	const names = namesOf(executionId);
	const { id } = context.getWorkflow();
	const { name } = context.getNode();
	const nameOf = ({ sender_id, message }: Batch['input'], to: string) => fingerprint(id, name, sender_id, message, to);
	const words = `This message was sent to this number ${whenOf(executionId)}, or may have been: nothing was sent now. To send it again on purpose, change its text.`;
	const mine: string[] = [];
	const before: SkippedRecipient[] = [];
	const left = keepRecipients(batches, (one, input) => {
		const text = nameOf(input, one.to);
		const free = !names.has(text);
		if (free) {
			names.take(text);
			mine.push(text);
		} else before.push({ ...one, reason: 'already_sent', message: words });
		return free;
	});
	return {
		plan: { batches: left, skipped: [...skipped, ...before] },
		giveBack: (results) => {
			const sent = (results ?? []).flatMap((result) =>
				recipientResults(result)
					.filter(({ outcome }) => outcome === 'accepted' || outcome === 'unknown')
					.map(({ to }) => nameOf(result.input.input, to)),
			);
			const kept = new Set(sent);
			for (const text of mine) {
				if (kept.has(text)) names.keep(text);
				else names.delete(text);
			}
		},
	};
}
