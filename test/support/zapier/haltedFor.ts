import type { ZapierFailure } from './zapierTestApp';

/**
 * The error of a step that stopped because of one of its fields, for `toMatchObject`.
 * @param label the field's label, which begins the message
 * @param facts values that follow in the message, such as the entered one
 */
export function haltedFor(label: string, ...facts: readonly string[]): Pick<ZapierFailure, 'name' | 'message'> {
	const literally = (text: string) => text.replaceAll(/[^\w ]/g, '\\$&');
	const pattern = new RegExp(`^${[`${label} `, ...facts].map(literally).join('.*')}`);
	return { name: 'HaltedError', message: expect.stringMatching(pattern) as string };
}
