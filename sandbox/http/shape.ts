import type { Endpoint } from '../../shared/contract/endpoint';
import type { SettingsValues } from '../store/settings';
import { reshape, type RecordShapes } from './recordShape';

/** Settings for response shapes that the API does not document. */
export type Shapes = Pick<
	SettingsValues,
	'error_shape' | 'list_shape' | 'record_shape' | 'number_shape' | 'page_size' | 'rejection_shape'
> &
	RecordShapes;

/** Parts of a request that select a page of a list. */
export interface ShapeRequest {
	/** Path, query and body together. */
	readonly input: Readonly<Record<string, unknown>>;
	/** URL of the endpoint as the caller wrote it, without a query. */
	readonly address: string;
}

const LIST_NAMES: Readonly<Record<string, string>> = {
	'wallet.listTransactions': 'transactions',
	'senderId.list': 'sender_ids',
	'contact.list': 'contacts',
};

const IDS = new Set(['id', 'verification_id']);
const AMOUNTS = new Set([
	'cost',
	'balance',
	'amount',
	'amount_credit',
	'fee',
	'fee_rate',
	'total_wallet',
	'total_charged_ghs',
]);

/** Lists that are returned whole or in numbered pages. Transactions have an offset instead (docs/api.md#lists). */
const PAGED = new Set(['senderId.list', 'contact.list']);

/** Converts a handler's output to the response body. */
export function shapeSuccess(endpoint: Endpoint, output: unknown, shapes: Shapes, request: ShapeRequest): unknown {
	const { id, response: answer } = endpoint;
	const record = reshape(endpoint, output, shapes);
	const value = shapes.number_shape === 'text' ? numbersAsText(record) : record;
	return answer.kind === 'list' ? shapeList(id, value, shapes, request) : shapeRecord(id, value, shapes);
}

function shapeList(id: string, whole: unknown, { list_shape, page_size }: Shapes, request: ShapeRequest): unknown {
	// A bare list cannot say that there are more pages.
	const size = PAGED.has(id) && list_shape !== 'bare' ? page_size : 0;
	const { list, page } = pageOf(whole, size, request);
	switch (list_shape) {
		case 'bare':
			return list;
		case 'named':
			return { success: true, [LIST_NAMES[id] ?? 'items']: list, ...(page && { pagination: page }) };
		case 'paged':
			return { success: true, data: { current_page: 1, ...page, data: list } };
		case 'data':
			return { success: true, data: list, ...(page && { meta: page, links: { next: page.next_page_url } }) };
	}
}

function pageOf(whole: unknown, size: number, { input, address }: ShapeRequest) {
	if (size === 0 || !Array.isArray(whole)) return { list: whole };
	const last_page = Math.max(1, Math.ceil(whole.length / size));
	const current_page = /^[1-9]\d{0,5}$/.test(String(input.page)) ? Number(input.page) : 1;
	const next_page_url = current_page < last_page ? `${address}?page=${current_page + 1}` : null;
	const list: readonly unknown[] = whole.slice((current_page - 1) * size, current_page * size);
	return { list, page: { current_page, last_page, per_page: size, total: whole.length, next_page_url } };
}

function shapeRecord(id: string, record: unknown, { record_shape }: Shapes): unknown {
	switch (record_shape) {
		case 'data':
			return { success: true, data: record };
		case 'named':
			return { success: true, [id.split('.')[0] ?? id]: record };
		case 'flat':
			return { success: true, ...(typeof record === 'object' ? record : {}) };
	}
}

/** Creates an error body. */
export function shapeFailure(code: string, message: string, error_shape: Shapes['error_shape'] = 'flat'): unknown {
	switch (error_shape) {
		case 'nested':
			return { success: false, error: { code, message } };
		case 'list':
			return { errors: [{ code, message }] };
		case 'fields':
			return { message, error_code: code, errors: { [code]: [message] } };
		case 'text':
			return { success: false, error: message, error_code: code };
		case 'flat':
			return { success: false, code, message };
	}
}

function numbersAsText(value: unknown, key = ''): unknown {
	if (Array.isArray(value)) return value.map((item) => numbersAsText(item));
	if (typeof value === 'object' && value !== null) {
		return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, numbersAsText(inner, name)]));
	}
	if (typeof value !== 'number') return value;
	if (IDS.has(key)) return String(value);
	return AMOUNTS.has(key) ? value.toFixed(4).replace(/0{1,2}$/, '') : value;
}
