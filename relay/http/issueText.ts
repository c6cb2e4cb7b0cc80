import type { z } from 'zod/v4';

/**
 * Describes the problem of a field and the next step in plain words, as the rest of a sentence that begins with its name.
 * @param isMissing whether the field is absent
 */
export function issueText(issue: z.core.$ZodIssue, isMissing: boolean): string {
	if (issue.code === 'unrecognized_keys') return 'is not a field. Remove it, or correct its name';
	if (isMissing) return 'is missing. Add it';
	switch (issue.code) {
		case 'invalid_value':
			return `has an unknown value. Enter one of: ${issue.values.join(', ')}`;
		case 'invalid_type':
			return `has a wrong type. Enter ${TYPES[issue.expected] ?? `a value of the type ${issue.expected}`}`;
		case 'too_big':
			return tooBig(issue.origin, Number(issue.maximum));
		case 'too_small':
			return tooSmall(issue.origin, Number(issue.minimum));
		default:
			return `is wrong: ${issue.message}`;
	}
}

const TYPES: Readonly<Record<string, string>> = {
	string: 'a text',
	number: 'a number',
	int: 'a whole number',
	array: 'a list',
	object: 'an object',
};

function tooBig(origin: string, most: number): string {
	if (origin === 'string') return `is too long. Enter at most ${most} characters`;
	if (origin === 'array') return `has too many values. Enter at most ${most}`;
	return `is too large. Enter ${most} or less`;
}

function tooSmall(origin: string, least: number): string {
	if (origin === 'string') return 'is empty. Enter a value';
	if (origin === 'array') return 'is empty. Enter at least one value';
	return `is too small. Enter ${least} or more`;
}
