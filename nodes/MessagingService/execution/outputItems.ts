import { type IDataObject, type IExecuteFunctions, type INodeExecutionData, jsonParse } from 'n8n-workflow';
import { ApiError, ServiceError, type FailedOutcome, type MapResult, type Outcome } from '../../../shared';
import { explainError } from '../host/errors';
import type { ItemOperation, Run, Work } from './operation';

/**
 * The outcome of an item that makes no call: from an earlier try of the run, from an agent's earlier call for the same
 * message, or because it is skipped.
 */
export interface Known {
	readonly kind: 'known';
	readonly outcome: Outcome<unknown>;
}

/** The work of one item, its earlier outcome, or the reason why it cannot be done. */
export type Item = Work | Known | ServiceError;

/** An item in its place. */
export interface ItemUnit {
	readonly index: number;
	readonly item: Item;
	/** Items that share one of these names run one after the other. */
	readonly names: readonly string[];
	/** The recipient of a message, for the row of a failure. */
	readonly to?: string | undefined;
}

/** The result of one item. */
export type Result = MapResult<ItemUnit, unknown>;

/** The output of an item that was skipped on purpose. Its row gives the reason. */
export class SkippedRow {
	constructor(readonly row: IDataObject) {}
}

/** Makes the outcome of an item that was skipped. */
export function skipped(row: IDataObject): Outcome<unknown> {
	return { outcome: 'accepted', output: new SkippedRow(row) };
}

/** Whether an item may cost money or change something. */
export function isOnce({ item }: ItemUnit): boolean {
	if (item instanceof ServiceError) return false;
	return item.kind === 'known' || (item.kind === 'call' && item.endpoint.repeat === 'once');
}

/** Makes the output items of one input item, linked to it. */
export function toItems(
	run: Run,
	result: Result,
	{ hasVerdict }: Pick<ItemOperation, 'hasVerdict'> = {},
): INodeExecutionData[] {
	const pairedItem = { item: result.input.index };
	if (result.outcome === 'accepted' && result.output instanceof SkippedRow) {
		return [{ json: result.output.row, pairedItem }];
	}
	if (result.outcome === 'accepted') {
		const ours = isOnce(result.input) && !hasVerdict ? { outcome: 'accepted' } : {};
		const rows: unknown[] = Array.isArray(result.output) ? result.output : [result.output];
		// First, because users look there. Last, so that no field of the service overwrites it.
		const json = (row: unknown) => ({ ...ours, ...jsonParse<IDataObject>(JSON.stringify(row)), ...ours });
		return rows.map((row) => ({ json: json(row), pairedItem }));
	}
	const { to } = result.input;
	const about = to === undefined ? {} : { to };
	if (result.outcome === 'not_attempted') return [{ json: notAttemptedRow(run, result.reason, about), pairedItem }];
	return [{ json: failureRow(run, result, about), pairedItem }];
}

/**
 * Makes the row of a failure: `outcome`, `error` and `details`, without `outcome` on the error output.
 * @param more other fields of the row, such as the recipient
 */
export function failureRow(run: Run, { outcome, error }: FailedOutcome, more: IDataObject = {}): IDataObject {
	return causeRow(run, outcome, error, more);
}

function causeRow(
	{ context, labels, dryRun }: Run,
	outcome: Exclude<Result['outcome'], 'accepted'>,
	error: ServiceError,
	more: IDataObject,
): IDataObject {
	const about = { ...(dryRun && { dry_run: true }), ...more };
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

/** Whether a run ended because of a response, which was about another item. Any other error is about the whole run. */
export function hasEnded(reason: 'canceled' | ServiceError): reason is 'canceled' | ApiError {
	return reason === 'canceled' || reason instanceof ApiError;
}

/** Why nothing of a run may be sent; undefined if no result says so. */
export function blockOf(results: ReadonlyArray<MapResult<unknown, unknown>>): ServiceError | undefined {
	for (const result of results) {
		if (result.outcome === 'not_attempted' && !hasEnded(result.reason)) return result.reason;
	}
	return undefined;
}

/**
 * Makes the row of an item that was not attempted, because the run had ended before it, or because nothing of the run may
 * be sent.
 * @param more other fields of the row
 */
export function notAttemptedRow(run: Run, reason: 'canceled' | ServiceError, more: IDataObject = {}): IDataObject {
	if (!hasEnded(reason)) return causeRow(run, 'not_attempted', reason, more);
	const { context, dryRun } = run;
	const about = { ...(dryRun && { dry_run: true }), ...more };
	const because = reason === 'canceled' ? 'the execution was canceled' : explainError(reason).message;
	const description = 'Nothing was sent or charged.';
	const details = { ...about, outcome: 'not_attempted', sent: 'no', description };
	return errorRow(context, `Not attempted, because the run had ended: ${because}`, details, {
		...about,
		outcome: 'not_attempted',
	});
}

/**
 * Makes a row with an error.
 * @param beside fields beside `error` and `details`, except on the error output
 */
export function errorRow(
	context: IExecuteFunctions,
	error: string,
	details: IDataObject,
	beside: IDataObject,
): IDataObject {
	// n8n moves an item to the error output only if its json has no keys except error, message and details.
	if (context.getNode().onError === 'continueErrorOutput') return { error, details };
	return { ...beside, error, details };
}
