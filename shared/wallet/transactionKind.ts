import { endpoints } from '../contract';
import { paymentStage, type PaymentStage } from './paymentStage';
import type { WalletRow } from './walletRow';
import { statusWords } from './statusWords';

/**
 * The kind of a wallet transaction. A `topup` is money paid in by the owner, a `charge` is spent, a `reversal` undoes
 * another transaction and may go either way.
 */
export type TransactionKind = 'topup' | 'charge' | 'refund' | 'fee' | 'reversal' | 'adjustment' | 'unknown';

const NAMES: ReadonlyArray<readonly [RegExp, TransactionKind]> = [
	[/^(topups?|recharged?|recharges|deposits?|deposited|funds?|funded|funding|reload|payin|cashin)$/, 'topup'],
	[
		/^(debits?|debited|charges?|charged|purchases?|usage|spend|spent|spending|withdrawals?|deductions?|consumption)$/,
		'charge',
	],
	[/^(refunds?|refunded|rebates?|cashback|reimbursements?)$/, 'refund'],
	[/^(fees?|commissions?|levy|tax|vat|surcharges?|penalty)$/, 'fee'],
	[/^(reversals?|reversed?|reverses|chargebacks?|clawbacks?|voided?|rollbacks?)$/, 'reversal'],
	[/^(adjustments?|adjust|adjusted|corrections?|corrected|bonus|bonuses|promo|promotion|gift)$/, 'adjustment'],
];

/** Words beside `credit` that add no meaning. */
const PLAIN_CREDIT = /^(credits?|credited|wallet|account|balance)$/;

/** Words that mean that a credit refunds a message, beside the resources with a charge. */
const OF_A_MESSAGE = /^(message|messages|text|call|otp|delivery|undelivered|failed)$/;
const CHARGED = new Set(endpoints.filter(({ charges }) => charges).map(({ id }) => id.split('.')[0]));

/** Fields in which a service may give the reason for a credit. */
const REASONS = ['description', 'reason', 'category', 'narration', 'note', 'remarks', 'purpose', 'source', 'memo'];

/**
 * Finds the kind of a wallet transaction by the words of its type, which are undocumented
 * (docs/api.md#list-wallet-transactions). The last word decides: `topup_fee` is a fee, `fee_refund` is a refund.
 * @example transactionKind({ type: 'recharge', amount: 50 }) // 'topup'
 */
export function transactionKind(row: WalletRow): TransactionKind {
	const words = statusWords(row.type ?? '');
	const named = kindOfWords(words);
	if (named !== 'unknown') return named;
	const credit = words.some((word) => /^credit/.test(word)) && words.every((word) => PLAIN_CREDIT.test(word));
	return credit && (row.amount ?? 0) > 0 ? kindOfCredit(row) : 'unknown';
}

function kindOfWords(words: readonly string[]): TransactionKind {
	const kinds = words.map(kindOfWord);
	if (kinds.includes('reversal')) return 'reversal';
	const last = kinds.findLastIndex((kind) => kind !== 'unknown');
	const bought = /^purchase/.test(words[last] ?? '') && words.some((word) => /^credits?$/.test(word));
	return bought ? 'topup' : (kinds[last] ?? 'unknown');
}

function kindOfWord(word: string): TransactionKind {
	return NAMES.find(([pattern]) => pattern.test(word))?.[1] ?? 'unknown';
}

/** A credit may be a top-up, or the refund of a failed message. */
function kindOfCredit(row: WalletRow): TransactionKind {
	if (typeof row.message_id === 'string' && row.message_id !== '') return 'refund';
	for (const key of REASONS) {
		const reason = row[key];
		if (typeof reason !== 'string') continue;
		const words = statusWords(reason);
		const kind = kindOfWords(words);
		if (kind !== 'unknown') return kind;
		if (words.some((word) => OF_A_MESSAGE.test(word) || CHARGED.has(word))) return 'refund';
	}
	return 'topup';
}

/** The stage of a transaction as a top-up; `none` if it is not a top-up, or takes money. */
export type TopUpStage = 'none' | PaymentStage;

/**
 * Finds the stage of a transaction as a top-up. A row without a status is completed, unless its type says otherwise, as
 * `failed_topup` does.
 * @example topUpStage({ type: 'topup', amount: 50, status: 'processing' }) // 'pending'
 */
export function topUpStage(row: WalletRow): TopUpStage {
	if (transactionKind(row) !== 'topup') return 'none';
	if (typeof row.amount === 'number' && row.amount <= 0) return 'none';
	const ofType = paymentStage(row.type ?? '');
	const stages = [...statusesOf(row), ...(ofType === 'unknown' ? [] : [ofType])];
	if (stages.includes('failed')) return 'failed';
	if (stages.includes('pending')) return 'pending';
	return stages.includes('unknown') ? 'unknown' : 'completed';
}

function statusesOf(row: WalletRow): PaymentStage[] {
	return ['status', 'payment_status', 'state'].flatMap((key): PaymentStage[] => {
		const status = row[key];
		if (status === undefined || status === null || status === '') return [];
		if (typeof status === 'boolean') return [status ? 'completed' : 'failed'];
		return [typeof status === 'string' ? paymentStage(status) : 'unknown'];
	});
}

/** Whether any word of a type names a top-up. */
export function mentionsTopUp(row: WalletRow): boolean {
	return statusWords(row.type ?? '').some((word) => kindOfWord(word) === 'topup');
}
