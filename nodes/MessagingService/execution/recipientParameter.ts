import { InputError, readPhoneNumber, typedNumbers } from '../../../shared';
import { phoneOptionsParameter, readOrError } from '../host/parameters';
import type { Run } from './operation';

/**
 * The recipient of an item whose other fields cannot be read, so that its row names it.
 * @returns in E.164; as it was given if it is no phone number; undefined if the operation sends nothing, or the field is
 * empty or cannot be read
 */
export function recipientParameter({ context, labels, session }: Run, itemIndex: number): string | undefined {
	const name = 'to' in labels ? 'to' : 'sender_id' in labels ? 'phone' : undefined;
	if (name === undefined) return undefined;
	const read = readOrError(() => ({
		value: context.getNodeParameter(name, itemIndex, '', { extractValue: true }) as unknown,
		options: phoneOptionsParameter(context, itemIndex, session.sandbox),
	}));
	if (read instanceof InputError) return undefined;
	const { value, options } = read;
	const number = options instanceof InputError ? undefined : readPhoneNumber(value, options);
	if (number?.ok) return number.e164;
	const [typed, ...others] = typedNumbers(value);
	return others.length === 0 ? typed : undefined;
}
