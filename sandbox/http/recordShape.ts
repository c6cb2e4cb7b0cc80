import type { Endpoint } from '../../shared/contract/endpoint';
import type { SettingsValues } from '../store/settings';

/** Settings for the shape of single records. */
export type RecordShapes = Pick<
	SettingsValues,
	| 'verification_shape'
	| 'bulk_shape'
	| 'contact_shape'
	| 'sender_id_shape'
	| 'balance_shape'
	| 'transaction_shape'
	| 'status_words'
>;

type Fields = Readonly<Record<string, unknown>>;

/** Words of carriers for statuses of messages and top-ups. */
const CARRIER_WORDS: Readonly<Record<string, string>> = {
	queued: 'scheduled',
	submitted: 'accepted',
	sent: 'enroute',
	delivered: 'DELIVRD',
	failed: 'undelivered',
	pending: 'processing',
};

const OTHER_TYPES: Readonly<Record<string, string>> = { topup: 'recharge', debit: 'sms', refund: 'reversal' };

/**
 * Converts an output to another shape that a service could use, since the API documents none (docs/assumptions.md). The
 * default settings leave it unchanged.
 */
export function reshape({ id }: Endpoint, output: unknown, shapes: RecordShapes): unknown {
	switch (id) {
		case 'verification.check':
			return reshapeCheck(fieldsOf(output), shapes);
		case 'sms.sendBulk':
			return shapes.bulk_shape === 'rows' ? output : reshapeBulk(fieldsOf(output), shapes);
		case 'contact.list':
			return shapes.contact_shape === 'plain' ? output : rowsOf(output).map((one) => reshapeContact(one, shapes));
		case 'contact.create':
			return shapes.contact_shape === 'plain' ? output : reshapeContact(fieldsOf(output), shapes);
		case 'senderId.list':
			return shapes.sender_id_shape === 'records' ? output : rowsOf(output).map((one) => reshapeSenderId(one, shapes));
		case 'wallet.getBalance':
			return shapes.balance_shape === 'plain' ? output : reshapeBalance(fieldsOf(output), shapes);
		case 'wallet.listTransactions':
			return shapes.transaction_shape === 'full'
				? output
				: rowsOf(output).map((one) => reshapeTransaction(one, shapes));
		default:
			return shapes.status_words === 'plain' ? output : withCarrierWords(output);
	}
}

function fieldsOf(value: unknown): Fields {
	return typeof value === 'object' && value !== null ? { ...value } : {};
}

function rowsOf(value: unknown): Fields[] {
	return Array.isArray(value) ? value.map(fieldsOf) : [];
}

function reshapeCheck(check: Fields, { verification_shape }: RecordShapes): Fields {
	const { valid, message } = check;
	switch (verification_shape) {
		case 'flag':
			return { is_verified: valid };
		case 'list':
			return { data: [{ valid }] };
		case 'words':
			return { message: message ?? 'Code verified.' };
		case 'success':
			// With this shape a wrong code is a 422.
			return {};
		default:
			return check;
	}
}

function reshapeBulk({ results, total, queued, skipped, ...bulk }: Fields, { bulk_shape }: RecordShapes): Fields {
	if (bulk_shape === 'counts') return { ...bulk, accepted: queued, rejected: skipped };
	if (!Array.isArray(results)) return { ...bulk, total, queued, skipped };
	const rows = rowsOf(results);
	const failed = rows.filter(({ status }) => status === 'skipped');
	const sent = rows.filter(({ status }) => status !== 'skipped');
	const error = 'The number has opted out.';
	switch (bulk_shape) {
		case 'lists':
			return { ...bulk, sent: sent.map(({ to }) => to), failed: failed.map(({ to }) => ({ to, error })) };
		case 'groups':
			return { ...bulk, results: { sent, failed: failed.map(({ to }) => ({ to, error })) } };
		case 'map':
			return { ...bulk, results: Object.fromEntries(rows.map(({ to, ...row }) => [String(to), row])) };
		default:
			return { ...bulk, results: rows.map(({ to, status, ...row }) => ({ ...row, contact: to, state: status })) };
	}
}

function reshapeContact(contact: Fields, { contact_shape }: RecordShapes): Fields {
	const { id, name, phone, ...rest } = contact;
	if (contact_shape === 'renamed') return { ...rest, contact_id: id, full_name: name, phone_number: phone };
	return { ...rest, id: Number(id), name, phone: Number(String(phone).slice(1)) };
}

function reshapeSenderId({ name, ...rest }: Fields, { sender_id_shape }: RecordShapes): unknown {
	if (sender_id_shape === 'names') return name;
	return { ...rest, name: /^\d+$/.test(String(name)) ? Number(name) : name, status: 1 };
}

function reshapeBalance({ balance, currency }: Fields, { balance_shape }: RecordShapes): Fields {
	switch (balance_shape) {
		case 'nested':
			return { balance: { amount: balance, currency } };
		case 'text':
			return { balance: `GH₵ ${Number(balance).toFixed(2)}` };
		default:
			return { wallet_balance: balance, currency };
	}
}

function reshapeTransaction({ type, amount, created_at, id }: Fields, { transaction_shape }: RecordShapes): Fields {
	if (transaction_shape === 'bare') return { type, amount, created_at };
	return { id, type: OTHER_TYPES[String(type)] ?? type, amount: Math.abs(Number(amount)), created_at };
}

function withCarrierWords(output: unknown): unknown {
	const { status } = fieldsOf(output);
	const word = typeof status === 'string' ? CARRIER_WORDS[status] : undefined;
	return word === undefined ? output : { ...fieldsOf(output), status: word };
}
