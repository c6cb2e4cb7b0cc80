import type { INodeProperties } from 'n8n-workflow';
import type { Labels } from '../../../shared';

/** The API's names of fields that have another name in the node (docs/api.md). */
const API_NAMES: Readonly<Record<string, string>> = {
	messageId: 'id',
	returnUrl: 'return_url',
	sendAt: 'schedule_at',
	senderId: 'sender_id',
	verificationId: 'verification_id',
};

/** The name of the parameter that a user fills in, by its name in the API. */
export function parameterOf(field: string): string {
	return Object.entries(API_NAMES).find(([, name]) => name === field)?.[0] ?? field;
}

/** Returns the labels of an operation's fields and of the options in their collections. */
export function labelsOf(fields: readonly INodeProperties[]): Labels {
	const named = fields.flatMap((field) => (field.type === 'collection' ? (field.options ?? []) : [field]));
	return Object.fromEntries(
		named.flatMap((field) =>
			'displayName' in field ? [[API_NAMES[field.name] ?? field.name, field.displayName]] : [],
		),
	);
}
