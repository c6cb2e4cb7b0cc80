import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { jsonParse } from 'n8n-workflow';
import { ServiceError, type FailedOutcome, type MapResult, type Outcome } from '../../../shared';
import { explainError } from './errors';
import type { Work } from './operation';

/** What an earlier try of the run did for an item, or another call of an agent for the same message. */
export interface Known {
	readonly kind: 'known';
	readonly outcome: Outcome<unknown>;
}

/** What is to be done for one item, what was done before, or why nothing can be done. */
export type Item = Work | Known | ServiceError;

/** What became of one item. */
export type Result = MapResult<Item, unknown>;

/** The output of an item for which nothing was sent on purpose: its row, which says why. */
export class SkippedRow {
	constructor(readonly row: IDataObject) {}
}

/** Whether what is to be done may cost money or change something. */
export function isOnce(item: Item): boolean {
	if (item instanceof ServiceError) return false;
	return item.kind === 'known' || (item.kind === 'call' && item.endpoint.repeat === 'once');
}

/**
 * Makes the output items of one input item, linked to it.
 * @param labels display names by wire name
 */
export function toItems(
	context: IExecuteFunctions,
	labels: Readonly<Record<string, string>>,
	result: Result,
): INodeExecutionData[] {
	const pairedItem = { item: result.index };
	if (result.outcome === 'accepted' && result.output instanceof SkippedRow) {
		return [{ json: result.output.row, pairedItem }];
	}
	if (result.outcome === 'accepted') {
		const ours = isOnce(result.input) ? { outcome: 'accepted' } : {};
		const rows: unknown[] = Array.isArray(result.output) ? result.output : [result.output];
		// First for the eye, and last so that no field of the service's can take its place.
		const json = (row: unknown) => ({ ...ours, ...jsonParse<IDataObject>(JSON.stringify(row)), ...ours });
		return rows.map((row) => ({ json: json(row), pairedItem }));
	}
	if (result.outcome === 'not_attempted') return [{ json: notAttemptedRow(context, result.reason), pairedItem }];
	return [{ json: failureRow(context, result, labels), pairedItem }];
}

/**
 * A row for a failure: `error` and `details`; beside them `outcome`, except on the error output.
 * @param about what else the row says, for example whom it was for
 */
export function failureRow(
	context: IExecuteFunctions,
	{ outcome, error }: FailedOutcome,
	labels: Readonly<Record<string, string>>,
	about: IDataObject = {},
): IDataObject {
	const { message, description } = explainError(error, labels);
	const details = {
		...about,
		outcome,
		sent: error.sent,
		description,
		...(error.code !== undefined && { code: error.code }),
		...(error.status !== undefined && { http_status: error.status }),
	};
	return errorRow(context, message, details, { ...about, outcome });
}

/**
 * A row for what was not attempted because the run had ended before it.
 * @param about what else the row says
 */
export function notAttemptedRow(
	context: IExecuteFunctions,
	reason: 'cancelled' | ServiceError,
	about: IDataObject = {},
): IDataObject {
	const because = reason === 'cancelled' ? 'the execution was cancelled' : explainError(reason).message;
	const description = 'Nothing was sent and nothing was charged.';
	const details = { ...about, outcome: 'not_attempted', sent: 'no', description };
	return errorRow(context, `Not attempted, because the run had ended: ${because}`, details, {
		...about,
		outcome: 'not_attempted',
	});
}

/**
 * A row that says that something failed.
 * @param beside what stands beside `error` and `details`, except on the error output
 */
export function errorRow(
	context: IExecuteFunctions,
	error: string,
	details: IDataObject,
	beside: IDataObject,
): IDataObject {
	// n8n moves an item to the error output only where its json has no other keys than error, message and details.
	if (context.getNode().onError === 'continueErrorOutput') return { error, details };
	return { ...beside, error, details };
}

/**
 * What running the workflow again does with what was sent, as the end of a sentence.
 * @param keyed whether all of it went out under Send Once Keys
 */
export function runAgainNote(count: number, keyed: boolean): string {
	const them = count === 1 ? 'it' : 'them';
	if (!keyed) return `: running the workflow again sends ${them} again, as there is no Send Once Key.`;
	return `: the Send Once Key keeps another run from sending ${them} again.`;
}
