import { ExecutionBaseError } from 'n8n-workflow';
import { contract, type ServiceError } from '../../../shared';
import { toNodeError } from './errors';
import type { Run } from './operation';

/** The sentence in our errors if a call or a try did nothing, and its replacements if the run sent something. */
const NOTHING = 'Nothing was sent or charged.';
const NOTHING_MORE = 'Nothing more was sent or charged.';
const NOTHING_FOR_ITEM = 'Nothing was sent or charged for this item.';
const NOTHING_FOR_REQUEST = 'Nothing was sent or charged for this request.';
const ABOUT_THIS_ITEM = 'This concerns only this item.';

/**
 * Makes the error that a run stops with.
 * @param itemIndex the input item that failed, if the failure concerns one
 * @param sent sentences about the messages that this try or an earlier one sent; empty if there are none
 * @returns n8n's own error if a bad expression is the cause, because it shows the user the field
 */
export function errorToStopWith(
	{ context, labels }: Run,
	error: ServiceError,
	itemIndex: number | undefined,
	sent: string,
): ExecutionBaseError {
	const { cause } = error;
	const stopping =
		cause instanceof ExecutionBaseError ? cause : toNodeError(context.getNode(), error, itemIndex, labels);
	if (sent !== '') {
		const description = stopping.description?.replace(NOTHING, onlyHere(error));
		const alsoInTitle = stopping.message.includes(NOTHING) ? ABOUT_THIS_ITEM : undefined;
		stopping.description = [description, alsoInTitle, sent].filter(Boolean).join(' ');
	}
	return stopping;
}

/** Limits the sentence to the failure, because other items were or may have been sent. */
function onlyHere({ endpoint }: ServiceError): string {
	if (endpoint === 'node') return NOTHING_MORE;
	return endpoint === contract.sms.sendBulk.id ? NOTHING_FOR_REQUEST : NOTHING_FOR_ITEM;
}
