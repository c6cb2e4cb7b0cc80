import type { GenericValue, IDataObject, IWebhookFunctions } from 'n8n-workflow';
import { parseJson } from '../../../../shared/index';
import type { Rejection } from './rejection';

/** The body of a webhook. */
export interface WebhookBody {
	/** As it arrived. */
	readonly body: IDataObject;
	/** The same, with nested form fields such as `data[status]` as objects. */
	readonly fields: IDataObject;
}

/** Far more than any event needs. n8n accepts 16 MB. */
const LARGEST_BODY = 256 * 1024;
const DEEPEST = 20;
const UNSAFE = new Set(['__proto__', 'constructor', 'prototype']);

/** Reads the body that n8n has parsed. n8n does not read a multipart body. */
export function parseBody(context: IWebhookFunctions): WebhookBody | Rejection {
	const contentType = context.getHeaderData()['content-type'] ?? '';
	const [, type] = /^application\/(json|x-www-form-urlencoded)\b/i.exec(contentType) ?? [];
	if (type === undefined) {
		const message = 'Send JSON or a form (application/x-www-form-urlencoded)';
		return { status: 415, reason: 'neither JSON nor a form', message };
	}
	const { rawBody } = context.getRequestObject();
	if (rawBody && rawBody.length > LARGEST_BODY) {
		const message = `The body has ${rawBody.length} bytes, but at most ${LARGEST_BODY} are accepted`;
		return { status: 413, reason: 'body too large', message };
	}
	const isJson = type.toLowerCase() === 'json';
	const body = (isJson ? exactJson(context) : undefined) ?? (context.getBodyData() as unknown);
	if (typeof body !== 'object' || body === null || Array.isArray(body)) {
		return { status: 422, reason: 'body is not an object', message: 'Send one JSON object, or a form' };
	}
	const copy = copyOf(body, 0);
	if (copy === undefined) {
		return {
			status: 422,
			reason: 'body nested too deep',
			message: `The body is nested more than ${DEEPEST} levels deep`,
		};
	}
	return { body: copy, fields: isJson ? copy : gather(copy) };
}

/**
 * Parses the raw JSON again, because n8n rounds integers above 2^53, and two message IDs could become equal.
 * @returns undefined if the bytes are missing or not JSON
 */
function exactJson(context: IWebhookFunctions): unknown {
	const request = context.getRequestObject();
	if (!Buffer.isBuffer(request.rawBody)) return undefined;
	const encoding: unknown = Reflect.get(request, 'encoding');
	const isNamed = typeof encoding === 'string' && Buffer.isEncoding(encoding);
	return parseJson(request.rawBody.toString(isNamed ? encoding : 'utf-8'))?.value;
}

/**
 * Copies an object without keys that could change prototypes.
 * @returns undefined if it is nested too deep
 */
function copyOf(value: object, depth: number): IDataObject | undefined {
	if (depth > DEEPEST) return undefined;
	const copy: IDataObject = {};
	for (const [key, inner] of Object.entries(value) as Array<[string, unknown]>) {
		if (UNSAFE.has(key)) continue;
		const copied = copyOfValue(inner, depth + 1);
		if (copied === undefined) return undefined;
		copy[key] = copied.value;
	}
	return copy;
}

function copyOfValue(value: unknown, depth: number): { value: GenericValue } | undefined {
	if (Array.isArray(value)) {
		if (depth > DEEPEST) return undefined;
		const items = value.map((item: unknown) => copyOfValue(item, depth + 1));
		return items.includes(undefined) ? undefined : { value: items.map((item) => item?.value) };
	}
	if (typeof value === 'object' && value !== null) {
		const copy = copyOf(value, depth);
		return copy && { value: copy };
	}
	const plain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
	return { value: plain ? value : null };
}

/** Converts form fields such as `outer[inner]=x` to objects, because n8n parses forms as flat fields. */
function gather(form: IDataObject): IDataObject {
	const fields: IDataObject = {};
	for (const [name, value] of Object.entries(form)) {
		const path = /^([^[\]]+)((?:\[[^[\]]+\])+)$/.exec(name);
		const keys = path ? [path[1] ?? '', ...(path[2] ?? '').slice(1, -1).split('][')] : [name];
		if (keys.length > DEEPEST || keys.some((key) => UNSAFE.has(key))) continue;
		place(fields, keys, value);
	}
	return fields;
}

function place(fields: IDataObject, [key = '', ...rest]: readonly string[], value: IDataObject[string]): void {
	if (rest.length === 0) {
		fields[key] ??= value;
		return;
	}
	const known = fields[key];
	const inner: IDataObject =
		typeof known === 'object' && known !== null && !Array.isArray(known) ? (known as IDataObject) : {};
	fields[key] = inner;
	place(inner, rest, value);
}
