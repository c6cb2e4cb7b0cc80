import type { Endpoint } from '../../shared/contract/endpoint';
import type { SettingsValues } from '../store/settings';

/** How answers look where the interface shows no shape. */
export type Shapes = Pick<SettingsValues, 'error_shape' | 'list_shape' | 'record_shape' | 'number_shape'>;

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

/** Puts what a handler gave into the body that goes out. */
export function shapeSuccess({ id, answer }: Endpoint, output: unknown, shapes: Shapes): unknown {
	const value = shapes.number_shape === 'text' ? numbersAsText(output) : output;
	return answer.kind === 'list' ? shapeList(id, value, shapes) : shapeRecord(id, value, shapes);
}

function shapeList(id: string, list: unknown, { list_shape }: Shapes): unknown {
	switch (list_shape) {
		case 'bare':
			return list;
		case 'named':
			return { success: true, [LIST_NAMES[id] ?? 'items']: list };
		case 'paged':
			return { success: true, data: { current_page: 1, data: list } };
		case 'data':
			return { success: true, data: list };
	}
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

/** Makes the body of a refusal. */
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
