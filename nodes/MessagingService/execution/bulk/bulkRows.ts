import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import {
	errorMessage,
	firstMessage,
	InputError,
	OUTSIDE_SENDING_HOURS,
	summarize,
	type BatchResult,
	type FirstMessage,
	type Outcome,
	type RecipientResult,
	type SentText,
} from '../../../../shared';
import { BulkItemOutput } from '../idempotency/sendOnceKeys';
import type { Run } from '../operation';
import { errorRow, failureRow, notAttemptedRow } from '../outputItems';
import type { BulkItems } from './bulkPlan';

/**
 * Makes the row of one recipient, linked to its item.
 * @param item its input item
 */
export function recipientItem(
	run: Run,
	result: RecipientResult,
	item: BulkItems['items'][number] | undefined,
): INodeExecutionData {
	return { json: { ...rowOf(run, result), ...timeOf(result, item) }, pairedItem: { item: result.source } };
}

/** Fields of a row that the Sending Hours moved or skipped. */
export function timeOf(result: RecipientResult, item: BulkItems['items'][number] | undefined): IDataObject {
	if (item === undefined || item instanceof InputError) return {};
	const { moved, outsideHours } = item;
	if (result.outcome === 'accepted') return { ...moved };
	const skipped = result.outcome === 'skipped' && result.reason === OUTSIDE_SENDING_HOURS;
	return skipped && outsideHours ? { allowed_at: outsideHours.allowed_at } : {};
}

/** The texts that a run sent to its recipients, may have sent, or would send. */
export function sentTextsOf(recipients: readonly RecipientResult[], items: BulkItems['items']): SentText[] {
	return recipients.flatMap(({ outcome, to, source }): SentText[] => {
		const item = items[source];
		if ((outcome !== 'accepted' && outcome !== 'unknown') || !item || item instanceof InputError) return [];
		return [{ text: item.text.message, to, place: `item ${source + 1}` }];
	});
}

/** Makes the summary row of a bulk send, with one entry for each request. */
export function summaryItem(
	results: readonly BatchResult[],
	recipients: readonly RecipientResult[],
): INodeExecutionData {
	const batches = results.map((result): IDataObject => {
		const { input, recipients: people } = result.input;
		const about = { recipients: people.length, ...(input.schedule_at && { schedule_at: input.schedule_at }) };
		if (result.outcome === 'accepted') {
			const { batch_id, status, cost } = result.output;
			// Other counts of the service, such as the number of recipients that it left out.
			const counts = Object.entries(result.output).filter(
				([key, value]) => typeof value === 'number' && key !== 'balance',
			);
			return { ...(Object.fromEntries(counts) as IDataObject), outcome: 'accepted', batch_id, status, cost, ...about };
		}
		const error = 'error' in result ? { error: errorMessage(result.error) } : {};
		return { outcome: result.outcome, ...about, ...error };
	});
	return { json: { ...summarize(results, recipients), batches }, pairedItem: { item: 0 } };
}

/**
 * Makes a warning if not every recipient was accepted; undefined otherwise.
 * @param leftOut how many of the unknown recipients the service left out without naming them
 */
export function hintOf(recipients: readonly RecipientResult[], leftOut: number): string | undefined {
	const counts = new Map<string, number>();
	for (const one of recipients) {
		const name = one.outcome === 'skipped' ? `skipped (${one.reason})` : one.outcome;
		counts.set(name, (counts.get(name) ?? 0) + 1);
	}
	const accepted = counts.get('accepted') ?? 0;
	if (accepted === recipients.length && leftOut === 0) return undefined;
	counts.delete('accepted');
	const others = [...counts].map(([name, count]) => `${count} ${name}`);
	if (leftOut > 0) others.push(`the service left out ${leftOut} of the unknown without naming them`);
	return `${accepted} of ${recipients.length} recipients accepted. Others: ${others.join(', ')}`;
}

/**
 * The outcome of each input item. It is accepted or unknown if any of its recipients got its message, or may have, even
 * through another item. Items whose recipients certainly got nothing are missing. The output of an accepted item is a
 * {@link BulkItemOutput}.
 * @param textOf returns the name of an item's text
 */
export function outcomesByItem(
	recipients: readonly RecipientResult[],
	textOf: (item: number) => string,
): ReadonlyMap<number, Outcome<unknown>> {
	const sent = new Map<string, Outcome<FirstMessage>>();
	const nameOf = ({ source, to }: RecipientResult) => `${to} ${textOf(source)}`;
	for (const one of recipients) {
		if (one.outcome === 'accepted') sent.set(nameOf(one), { outcome: 'accepted', output: firstMessage(one) });
		else if (one.outcome === 'unknown') sent.set(nameOf(one), one);
		else if (one.outcome === 'skipped' && one.first) sent.set(nameOf(one), one.first);
	}
	const byItem = new Map<number, Map<string, Outcome<FirstMessage> | 'nothing'>>();
	for (const one of recipients) {
		const ofItem = byItem.get(one.source) ?? new Map<string, Outcome<FirstMessage> | 'nothing'>();
		const got = sent.get(nameOf(one)) ?? ofItem.get(one.to) ?? 'nothing';
		byItem.set(one.source, ofItem.set(one.to, got));
	}
	return new Map([...byItem].flatMap(([item, ofItem]) => outcomeOfItem(ofItem).map((outcome) => [item, outcome])));
}

/** @returns none if certainly nothing was sent */
function outcomeOfItem(recipients: BulkItemOutput['recipients']): Array<Outcome<unknown>> {
	const all = [...recipients.values()].filter((outcome) => outcome !== 'nothing');
	const [unknown] = all.filter(({ outcome }) => outcome === 'unknown');
	if (all.length === 0) return [];
	if (unknown && all.length === recipients.size && all.every(({ outcome }) => outcome === 'unknown')) return [unknown];
	return [{ outcome: 'accepted', output: new BulkItemOutput(recipients) }];
}

function rowOf(run: Run, result: RecipientResult): IDataObject {
	const { context } = run;
	const { to } = result;
	switch (result.outcome) {
		case 'accepted':
			return { to, outcome: result.outcome, ...firstMessage(result) };
		case 'skipped':
			return {
				to,
				outcome: 'skipped',
				reason: result.reason,
				message: result.message,
				...(result.first && { first_outcome: result.first.outcome }),
				...(result.first?.outcome === 'accepted' && result.first.output),
			};
		case 'not_attempted':
			return notAttemptedRow(run, result.reason, { to });
		default:
			if ('error' in result) return failureRow(run, result, { to });
			return errorRow(
				context,
				result.message,
				{
					to,
					outcome: 'rejected',
					status: result.status,
					description: 'The service accepted the request without this number.',
				},
				{ to, outcome: 'rejected' },
			);
	}
}
