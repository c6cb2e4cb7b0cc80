import { type IDataObject, jsonParse } from 'n8n-workflow';
import { withSentFields, type Labels, type ServiceError } from '../../../../shared';
import { explainError } from '../../host/errors';
import type { Call } from '../operation';
import { hasEnded, SkippedRow, type Result } from '../outputItems';
import type { Approver, SentQuestion } from './question';

/** The sentence in our errors if nothing was sent, and its replacement, because other messages may have been sent. */
const NOTHING = 'Nothing was sent or charged.';
const NOTHING_FOR_MESSAGE = 'Nothing was sent or charged for this message.';

/** Fields that say nothing about one approver. */
const COMMON: ReadonlySet<string> = new Set(['success', 'balance', 'sender_id', 'message']);

/** Makes the fields of a message to one approver from its result. */
export function messageRow({ endpoint, input }: Call, result: Result, labels: Labels): IDataObject {
	const to = String(input.to);
	switch (result.outcome) {
		case 'accepted': {
			if (result.output instanceof SkippedRow) return { to, ...result.output.row };
			const fields = jsonParse<IDataObject>(JSON.stringify(result.output));
			return { ...withSentFields(endpoint, input, { ...fields, outcome: 'accepted' }) };
		}
		case 'unknown':
			return { ...withSentFields(endpoint, input, { outcome: 'unknown', warning: wordsOf(result.error, labels) }) };
		case 'rejected':
			return { to, outcome: 'rejected', error: notSent(result.error, labels) };
		case 'not_attempted': {
			const { reason } = result;
			if (!hasEnded(reason)) return { to, outcome: 'not_attempted', error: notSent(reason, labels) };
			const because = reason === 'canceled' ? 'The execution was canceled.' : explainError(reason, labels).message;
			return { to, outcome: 'not_attempted', error: `Not attempted. ${because}` };
		}
	}
}

function notSent(error: ServiceError, labels: Labels): string {
	return wordsOf(error, labels).replace(NOTHING, NOTHING_FOR_MESSAGE);
}

function wordsOf(error: ServiceError, labels: Labels): string {
	const { message, description } = explainError(error, labels);
	return `${message.replace(/\.$/, '')}. ${description}`;
}

/**
 * Makes the output of a question before its response. With one approver, the fields of the message are at the top, as
 * for every send.
 */
export function questionRow({ approvers, question: { message }, reminders }: SentQuestion): IDataObject {
	const [first, ...others] = approvers;
	const cost = totalCost(approvers);
	const warning = warningOf(approvers);
	const outcome = approvers.some(({ row }) => row.outcome === 'accepted') ? 'accepted' : 'unknown';
	// First, because users look there. Last, so that no field of the service overwrites it.
	const ours = { outcome, message };
	return {
		...ours,
		...(first && others.length === 0 && first.row),
		...ours,
		...(cost !== undefined && { cost }),
		...(warning !== undefined && { warning }),
		approvers: approvers.map(approverRow),
		reminders,
	};
}

function approverRow({ to, row, reminders }: Approver): IDataObject {
	const own = (fields: IDataObject) => Object.fromEntries(Object.entries(fields).filter(([key]) => !COMMON.has(key)));
	// The message of a skipped row is its reason, not the question.
	const shown = row.outcome === 'skipped' ? row : own(row);
	return { to, outcome: row.outcome, ...shown, ...(reminders.length > 0 && { reminders: reminders.map(own) }) };
}

/** The sum of all costs, in the currency of the wallet; undefined if the service gave none. */
function totalCost(approvers: readonly Approver[]): number | undefined {
	const costs = approvers
		.flatMap(({ row, reminders }) => [row, ...reminders])
		.flatMap(({ outcome, cost }) => (outcome === 'accepted' && typeof cost === 'number' ? [cost] : []));
	if (costs.length === 0) return undefined;
	return costs.reduce((sum, cost) => sum + Math.round(cost * 1e6), 0) / 1e6;
}

/** Names each message that did not arrive, or perhaps not. */
function warningOf(approvers: readonly Approver[]): string | undefined {
	const all = approvers.flatMap(({ to, row, reminders }) => [
		{ to, what: 'The question', row },
		...reminders.map((reminded) => ({ to, what: 'A reminder', row: reminded })),
	]);
	const doubts = all.flatMap(({ to, what, row }) => {
		const why = row.error ?? row.warning ?? (row.outcome === 'skipped' ? row.message : undefined);
		return typeof why === 'string' ? [{ to, what, why }] : [];
	});
	const [only, ...others] = doubts;
	if (!only) return undefined;
	if (others.length === 0 && approvers.length === 1 && only.what === 'The question') return only.why;
	return doubts.map(({ to, what, why }) => `${what} to ${to}: ${why}`).join(' ');
}
