import type { IExecuteFunctions } from 'n8n-workflow';
import { ExecutionBaseError } from 'n8n-workflow';
import type { ServiceError } from '../../../shared';
import { toNodeError } from './errors';

/** The sentence in our errors if a try sent nothing, and its replacement if an earlier try sent something. */
const NOTHING = 'Nothing was sent or charged.';
const NOTHING_MORE = 'Nothing more was sent or charged.';

/**
 * Makes the error that a run stops with.
 * @param itemIndex the input item that failed, if the failure concerns one
 * @param labels display names by wire name
 * @param sent sentences about the messages that this try or an earlier one sent; empty if there are none
 * @returns n8n's own error if a bad expression is the cause, because it shows the user the field
 */
export function errorToStopWith(
	context: IExecuteFunctions,
	error: ServiceError,
	itemIndex: number | undefined,
	labels: Readonly<Record<string, string>>,
	sent: string,
): ExecutionBaseError {
	const { cause } = error;
	const stopping =
		cause instanceof ExecutionBaseError ? cause : toNodeError(context.getNode(), error, itemIndex, labels);
	if (sent !== '') {
		const description = stopping.description?.replace(NOTHING, NOTHING_MORE);
		stopping.description = [description, sent].filter(Boolean).join(' ');
	}
	return stopping;
}
