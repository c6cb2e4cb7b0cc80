import type { IExecuteFunctions } from 'n8n-workflow';
import {
	keepRecipients,
	recipientResults,
	type Batch,
	type BatchResult,
	type SkippedRecipient,
} from '../../../../shared';
import type { BulkPlan } from './bulkPlan';
import { fingerprint } from '../fingerprint';
import { PerExecution } from '../perExecution';

const taken = new PerExecution<true>({ maxIdleMs: 60 * 60 * 1000, maxEntries: 20_000, runningMs: 10 * 60 * 1000 });

/** What of an agent's bulk send is left to do. */
export interface AgentTexts {
	readonly plan: BulkPlan;
	/** Lets those be texted by another call who were certainly not; all, where nothing was sent. */
	giveBack(results?: readonly BatchResult[]): void;
}

/**
 * Takes the recipients of an agent's bulk send for this call. Who was taken for the same text by an earlier call of the
 * execution is set aside: an agent that is not sure calls again, with the same people in another order or with more.
 */
export function takeForAgent(context: IExecuteFunctions, { batches, skipped }: BulkPlan): AgentTexts {
	const executionId = context.getExecutionId();
	const nodeId = context.getNode().id;
	const names = executionId ? taken.of(executionId) : new Map<string, true>();
	const nameOf = ({ sender_id, message, schedule_at }: Batch['input'], to: string) =>
		fingerprint(nodeId, sender_id, message, schedule_at, to);
	const mine: string[] = [];
	const before: SkippedRecipient[] = [];
	const left = keepRecipients(batches, (one, input) => {
		const text = nameOf(input, one.to);
		const free = !names.has(text);
		if (free) {
			names.set(text, true);
			mine.push(text);
		} else before.push({ ...one, reason: 'already_sent', message: ALREADY_SENT });
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
			for (const text of mine) if (!kept.has(text)) names.delete(text);
		},
	};
}

const ALREADY_SENT =
	'This text was sent to this number before in this execution, or may have been: nothing was sent now.';
