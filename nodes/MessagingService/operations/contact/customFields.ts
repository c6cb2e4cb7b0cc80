import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { asText, InputError, parseJson } from '../../../../shared';
import { optionValue } from '../../host/parameters';

/** The Custom Fields option: further fields of a contact, each with a name and a value. */
export const customFieldsOption: INodeProperties = {
	displayName: 'Custom Fields',
	name: 'customFields',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: 'Add field',
	default: {},
	description: 'More details of the contact, each with its own name. Empty values are left out.',
	options: [
		{
			displayName: 'Fields',
			name: 'values',
			values: [
				{
					displayName: 'Name',
					name: 'name',
					type: 'string',
					default: '',
					placeholder: 'e.g. city',
					description: 'Name of the field, as your account shows it',
				},
				{
					displayName: 'Value',
					name: 'value',
					type: 'string',
					default: '',
					placeholder: 'e.g. Kumasi',
					description: 'Value of the field',
				},
			],
		},
	],
};

/** The Custom Fields (JSON) option: the same for an expression or an AI agent, which do not know the names beforehand. */
export const customFieldsJsonOption: INodeProperties = {
	displayName: 'Custom Fields (JSON)',
	name: 'customFieldsJson',
	type: 'json',
	default: '{}',
	placeholder: 'e.g. {"city": "Kumasi"}',
	description: 'More details of the contact as one JSON object, from an expression or an AI agent',
};

/** Names that are fields of the node itself, with their labels. */
const OWN_FIELDS: ReadonlyMap<string, string> = new Map([
	['name', 'Name'],
	['phone', 'Phone'],
]);

type Entry = readonly [name: string, value: unknown];
type FieldValue = string | number | boolean;

/**
 * Reads the custom fields of both options (docs/api.md#create-a-contact). Empty values are left out, as an empty cell of a
 * table says nothing about the contact.
 * @returns an error if a name is missing, is there twice, or is that of a field of the node, and if a value is a list or an
 * object
 */
export function customFields(
	context: IExecuteFunctions,
	itemIndex: number,
): Readonly<Record<string, FieldValue>> | InputError {
	const listed = listedFields(optionValue(context, 'customFields', itemIndex));
	const inJson = jsonFields(optionValue(context, 'customFieldsJson', itemIndex));
	if (inJson instanceof InputError) return inJson;
	const fields = new Map<string, FieldValue>();
	for (const [option, entries] of [['customFields', listed] as const, ['customFieldsJson', inJson] as const]) {
		for (const [written, given] of entries) {
			const wrong = (message: string) => new InputError('node', [{ field: option, message }]);
			const name = written.trim();
			const value = typeof given === 'string' ? given.trim() : given;
			const isEmpty = value === undefined || value === null || value === '';
			if (name === '') {
				if (isEmpty) continue;
				return wrong('has a value without a name. Enter a name, e.g. city, or remove the field');
			}
			const own = OWN_FIELDS.get(name);
			if (own !== undefined) return wrong(`has the field ${name}. Enter it in ${own}, and remove it here`);
			if (isEmpty) continue;
			if (!isFieldValue(value)) return wrong(`has a list or an object in ${name}. Enter text, a number, true or false`);
			if (fields.has(name)) return wrong(`has the field ${name} more than once. Keep one of them`);
			fields.set(name, value);
		}
	}
	return Object.fromEntries(fields);
}

function isFieldValue(value: unknown): value is FieldValue {
	return ['string', 'number', 'boolean'].includes(typeof value);
}

function listedFields(option: unknown): readonly Entry[] {
	const { values } = Object(option) as { readonly values?: unknown };
	if (!Array.isArray(values)) return [];
	return values.map((field: unknown): Entry => {
		const { name, value } = Object(field) as { readonly name?: unknown; readonly value?: unknown };
		return [asText(name), value];
	});
}

function jsonFields(option: unknown): readonly Entry[] | InputError {
	if (option === undefined || option === null || option === '') return [];
	const value = typeof option === 'string' ? parseJson(option)?.value : option;
	if (typeof value === 'object' && value !== null && !Array.isArray(value)) return Object.entries(value);
	const message = 'is not a JSON object. Enter one with the names and values of the fields, or remove the option';
	return new InputError('node', [{ field: 'customFieldsJson', message }]);
}
