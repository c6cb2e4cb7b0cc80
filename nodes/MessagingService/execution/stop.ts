import type { ExecutionBaseError } from 'n8n-workflow';
import { contract, type ServiceError, asText, AuthError, InputError, type Labels } from '../../../shared';
import { causeOrNodeError, explainError } from '../host/errors';
import { addHint } from '../host/olderN8n';
import { isOptionSet, optionValue } from '../host/parameters';
import type { Run } from './operation';
import { isOnce, SkippedRow, type Result } from './outputItems';
import { parameterOf } from '../host/labels';

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
	run: Run,
	error: ServiceError,
	itemIndex: number | undefined,
	sent: string,
): ExecutionBaseError {
	const { context, labels } = run;
	const named = messageWithItem(run, error, itemIndex);
	// n8n adds "[item 0]" to the error of an item. Beside "(item 1 of 3)" it would name another item.
	const stopping = causeOrNodeError(context.getNode(), error, named === undefined ? itemIndex : undefined, labels);
	const title = stopping.message;
	if (stopping !== error.cause) stopping.message = named ?? title;
	if (sent !== '') {
		const description = stopping.description?.replace(NOTHING, onlyHere(error));
		const alsoInTitle = title.includes(NOTHING) ? ABOUT_THIS_ITEM : undefined;
		stopping.description = [description, alsoInTitle, sent].filter(Boolean).join(' ');
	}
	return stopping;
}

/**
 * Shows above the output of a run that continues why it sent nothing. Its rows look like those of a run that began.
 * @param sentBefore whether an earlier try of the run may have sent something
 */
export function showNothingSent({ context, labels, dryRun }: Run, error: ServiceError, sentBefore: boolean): void {
	// A dry run says so itself.
	if (dryRun) return;
	const { message, description } = explainError(error, labels);
	const words = `${message.replace(/\.$/, '')}. ${sentBefore ? description.replace(NOTHING, NOTHING_MORE) : description}`;
	addHint(context, 'warning', words);
}

/** Limits the sentence to the failure, because other items were or may have been sent. */
function onlyHere({ endpoint }: ServiceError): string {
	if (endpoint === 'node') return NOTHING_MORE;
	return endpoint === contract.sms.sendBulk.id ? NOTHING_FOR_REQUEST : NOTHING_FOR_ITEM;
}

/** Maximum number of IDs in an error. */
const MAX_NAMED = 5;

/**
 * Lists in sentences the messages that a run sent or may have sent. Empty if there are none.
 * @param of the items, including earlier tries
 * @param failed the result whose error is shown with the summary
 */
export function sentSummary({ context, dryRun }: Run, results: readonly Result[], failed?: Result): string {
	if (dryRun) return '';
	const sent = results.filter(
		(result) => result.outcome === 'accepted' && isOnce(result.input) && !(result.output instanceof SkippedRow),
	);
	const unknown = results.filter((result) => result.outcome === 'unknown' && result !== failed);
	const sentences: string[] = [];
	if (sent.length > 0) {
		const ids = sent.flatMap((result) => {
			const { message_id, batch_id } = Object('output' in result ? result.output : {}) as Record<string, unknown>;
			return [message_id, batch_id].filter((id) => typeof id === 'string').slice(0, 1);
		});
		const named = ids.length > MAX_NAMED ? [...ids.slice(0, MAX_NAMED), '…'] : ids;
		const were = sent.length === 1 ? '1 item of this run was' : `${sent.length} items of this run were`;
		const keyed = isOptionSet(context, 'sendOnceKey');
		sentences.push(
			`${were} already sent${named.length > 0 ? ` (${named.join(', ')})` : ''}. ${runAgainNote(sent.length, keyed)}`,
		);
	}
	if (unknown.length > 0) sentences.push(maybeSent(unknown.length === 1 ? '1 item' : `${unknown.length} items`));
	return sentences.join(' ');
}

/**
 * Says that something may have been sent.
 * @param what e.g. "2 items"
 */
export function maybeSent(what: string): string {
	return `${what} of this run may have been sent. Check your message history before you send again.`;
}

/**
 * Says whether running the workflow again would send the same messages again.
 * @param keyed whether all messages had Send Once Keys
 */
export function runAgainNote(count: number, keyed: boolean): string {
	const them = count === 1 ? 'it' : 'them';
	if (!keyed) return `Running the workflow again sends ${them} again, because there is no Send Once Key.`;
	return `The Send Once Key keeps another run from sending ${them} again.`;
}

/** Fields whose values no error shows: a message may be long, a code is secret, and a list's error names its entry. */
const NOT_SHOWN: ReadonlySet<string> = new Set(['message', 'code', 'excludedNumbers']);

/** Longest value that an error shows, in UTF-16 units. */
const LONGEST_VALUE = 60;

/**
 * The message of an error about one input item. Among several items it names the item, and the value of a wrong field,
 * because the editor shows the fields of the first item only.
 * @returns undefined if there is only one item, or if the error is about the whole run
 */
function messageWithItem(run: Run, error: ServiceError, itemIndex: number | undefined): string | undefined {
	const { length } = run.context.getInputData();
	if (itemIndex === undefined || length < 2 || error instanceof AuthError || isAboutCredential(error)) return undefined;
	const place = `(item ${itemIndex + 1} of ${length})`;
	if (!(error instanceof InputError)) return `${explainError(error).message.replace(/\.$/, '')} ${place}`;
	const labels: Labels = Object.fromEntries(
		error.issues.map(({ field }, index) => {
			const name = run.labels[field] ?? field;
			const value = valueOf(run, field, itemIndex);
			const shown = value === undefined ? [name] : [name, `"${value}"`];
			return [field, [...shown, ...(index === 0 ? [place] : [])].join(' ')];
		}),
	);
	return explainError(error, labels).message;
}

/** Whether the error is about the base URL, such as one at which no relay was found. */
function isAboutCredential(error: ServiceError): boolean {
	return error instanceof InputError && error.issues.some(({ field }) => field === 'baseUrl');
}

/** The value of a field as text; undefined if it is empty, long, not to be shown, or cannot be read. */
function valueOf({ context }: Run, field: string, itemIndex: number): string | undefined {
	if (NOT_SHOWN.has(field)) return undefined;
	const name = parameterOf(field);
	try {
		const value: unknown = isOptionSet(context, name)
			? optionValue(context, name, itemIndex)
			: context.getNodeParameter(name, itemIndex, '', { extractValue: true });
		const text = typeof value === 'string' || typeof value === 'number' ? asText(value).trim() : '';
		return text === '' || text.length > LONGEST_VALUE ? undefined : text;
	} catch {
		return undefined;
	}
}
