import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { jsonParse } from 'n8n-workflow';
import { InputError, type FailedOutcome, type MapResult, type ServiceError } from '../../../shared';
import { explain } from './errors';
import type { Work } from './operation';

/** What became of one item. */
export type Result = MapResult<Work | InputError, unknown>;

/** Whether what is to be done may cost money or change something. */
export function isOnce(work: Work | InputError): boolean {
	return !(work instanceof InputError) && work.kind === 'call' && work.endpoint.repeat === 'once';
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
	if (result.outcome === 'accepted') {
		const ours = isOnce(result.input) ? { outcome: 'accepted' } : {};
		const rows: unknown[] = Array.isArray(result.output) ? result.output : [result.output];
		// First for the eye, and last so that no field of the service's can take its place.
		const json = (row: unknown) => ({ ...ours, ...jsonParse<IDataObject>(JSON.stringify(row)), ...ours });
		return rows.map((row) => ({ json: json(row), pairedItem }));
	}
	if (result.outcome === 'not_tried') return [{ json: notTriedRow(context, result.reason), pairedItem }];
	return [{ json: failureRow(context, result, labels), pairedItem }];
}

/** An item for a failure: `error` and `details`; beside them `outcome`, except on the error output. */
function failureRow(
	context: IExecuteFunctions,
	{ outcome, error }: FailedOutcome,
	labels: Readonly<Record<string, string>>,
): IDataObject {
	const { message, description } = explain(error, labels);
	const details = {
		outcome,
		sent: error.sent,
		description,
		...(error.code !== undefined && { code: error.code }),
		...(error.status !== undefined && { http_status: error.status }),
	};
	return errorRow(context, outcome, message, details);
}

/** An item that was not tried because the run had ended before it. */
function notTriedRow(context: IExecuteFunctions, reason: 'cancelled' | ServiceError): IDataObject {
	const because = reason === 'cancelled' ? 'the execution was cancelled' : explain(reason).message;
	const details = { outcome: 'not_tried', sent: 'no', description: 'Nothing was sent and nothing was charged.' };
	return errorRow(context, 'not_tried', `Not tried, because the run had ended: ${because}`, details);
}

function errorRow(context: IExecuteFunctions, outcome: string, error: string, details: IDataObject): IDataObject {
	// n8n moves an item to the error output only where its json has no other keys than error, message and details.
	if (context.getNode().onError === 'continueErrorOutput') return { error, details };
	return { outcome, error, details };
}
