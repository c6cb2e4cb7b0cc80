import type { IExecuteFunctions } from 'n8n-workflow';
import { ExecutionBaseError } from 'n8n-workflow';
import type { ServiceError } from '../../../shared';
import { toNodeError } from './errors';

/** What our errors say of a try in which nothing left, and what is said instead if something had left before. */
const NOTHING = 'Nothing was sent and nothing was charged.';
const NOTHING_MORE = 'Nothing more was sent and nothing more was charged.';

/**
 * Makes the error that a run stops with.
 * @param itemIndex the input item that failed, if it is one
 * @param labels display names by wire name
 * @param sent what the run sent all the same, in this try or an earlier one, as a sentence; empty for nothing
 * @returns n8n's own error if a bad expression is the cause: it shows the builder the field it is in
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
