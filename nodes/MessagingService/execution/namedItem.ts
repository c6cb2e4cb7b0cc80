import { asText, AuthError, InputError, type Labels, type ServiceError } from '../../../shared';
import { explainError } from '../host/errors';
import { parameterOf } from '../host/labels';
import { isOptionSet, optionValue } from '../host/parameters';
import type { Run } from './operation';

/** Fields whose values no error shows: a message may be long, a code is secret, and a list's error names its entry. */
const NOT_SHOWN: ReadonlySet<string> = new Set(['message', 'code', 'excludedNumbers']);

/** Longest value that an error shows, in UTF-16 units. */
const LONGEST_VALUE = 60;

/**
 * The message of an error about one input item. Among several items it names the item, and the value of a wrong field,
 * because the editor shows the fields of the first item only.
 * @returns undefined if there is only one item, or if the error is about the whole run
 */
export function messageWithItem(run: Run, error: ServiceError, itemIndex: number | undefined): string | undefined {
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
