import { createClient } from '../../../ui/request';

/** A JSON Schema, as far as the page shows it. */
export interface Schema {
	readonly type?: string;
	readonly description?: string;
	readonly anyOf?: readonly Schema[];
	readonly enum?: readonly unknown[];
	readonly items?: Schema;
	readonly properties?: Readonly<Record<string, Schema>>;
	readonly required?: readonly string[];
	readonly format?: string;
	readonly maxLength?: number;
	readonly minimum?: number;
	readonly maximum?: number;
}

/** The body of a request or a response. */
interface Content {
	readonly content?: Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;
}

/** A call, or a webhook. */
export interface Operation {
	readonly operationId: string;
	readonly summary: string;
	readonly parameters?: readonly {
		readonly name: string;
		readonly in: 'path' | 'query';
		readonly required: boolean;
		readonly schema: Schema;
	}[];
	readonly requestBody?: Content;
	readonly responses: Readonly<Record<string, Content & { readonly description: string }>>;
	/** Whether a call that may have been accepted can be repeated. */
	readonly 'x-repeat'?: string;
	/** Whether an accepted call costs money. */
	readonly 'x-charges'?: boolean;
}

/** The parts of the OpenAPI document that the page shows. */
export interface ApiDocument {
	readonly servers: readonly [{ readonly url: string }];
	readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
	readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>;
}

/** A field of a request or a webhook. */
export interface Field {
	readonly name: string;
	readonly type: string;
	readonly required: boolean;
	readonly description: string;
}

const client = createClient<{ 'GET openapi.json': ApiDocument }>({ base: '/' });

/** Reads the document from the sandbox. @throws Error if the sandbox is not there */
export async function readDocument(): Promise<ApiDocument> {
	return await client.call('GET openapi.json');
}

/** The fields of a call: in its path, its query or its body. */
export function fieldsOf({ parameters = [], requestBody }: Operation): readonly Field[] {
	const { properties = {}, required = [] } = bodyOf(requestBody)?.schema ?? {};
	const inBody = Object.entries(properties).map(([name, schema]) => toField(name, required.includes(name), schema));
	return [...parameters.map(({ name, required: needed, schema }) => toField(name, needed, schema)), ...inBody];
}

/** The JSON body of a request or a response. */
export function bodyOf(part: Content | undefined) {
	return part?.content?.['application/json'];
}

function toField(name: string, required: boolean, schema: Schema): Field {
	const { description = schema.items?.description ?? '', minimum, maximum, maxLength } = schema;
	const limits = [
		maxLength === undefined ? '' : `At most ${maxLength} characters.`,
		minimum === undefined ? '' : `From ${minimum}${maximum === undefined ? '.' : ` to ${maximum}.`}`,
	];
	const sentences = [description === '' ? '' : `${description}.`, ...limits].filter((text) => text !== '');
	return { name, type: typeOf(schema), required, description: sentences.join(' ') };
}

/** Names the type of a value for readers, such as `text or number`. */
function typeOf({ type = '', anyOf, enum: values, items }: Schema): string {
	if (anyOf) return [...new Set(anyOf.map(typeOf))].filter((name) => name !== 'null').join(' or ');
	if (values) return values.map((value) => JSON.stringify(value)).join(', ');
	if (type === 'array') return items ? `list of ${typeOf(items)}` : 'list';
	return type === 'string' ? 'text' : type;
}
