import { paymentStage, type PaymentStage } from './paymentStage';
import type { WalletRow } from './walletRow';
import { statusWords } from './statusWords';

/**
 * What a wallet transaction is. A `topup` is money that the owner paid in, a `charge` is spent, a `reversal` undoes
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

/** Words beside `credit` that say nothing more. */
const PLAIN_CREDIT = /^(credits?|credited|wallet|account|balance)$/;

/** Words that say that a credit gives money of a message back. */
const OF_A_MESSAGE =
	/^(sms|message|messages|text|whatsapp|email|voice|call|lookup|verification|otp|delivery|undelivered|failed)$/;

/** Fields in which a service may say what a credit is for. */
const REASONS = ['description', 'reason', 'category', 'narration', 'note', 'remarks', 'purpose', 'source', 'memo'];

/**
 * Tells what a wallet transaction is by the words of its type (docs/api.md#list-wallet-transactions: the fields of a
 * record are not shown). The last word decides: `topup_fee` is a fee, `fee_refund` is a refund.
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

/** A credit may be money that was paid in, or money of a failed message that came back. */
function kindOfCredit(row: WalletRow): TransactionKind {
	if (typeof row.message_id === 'string' && row.message_id !== '') return 'refund';
	for (const key of REASONS) {
		const reason = row[key];
		if (typeof reason !== 'string') continue;
		const words = statusWords(reason);
		const kind = kindOfWords(words);
		if (kind !== 'unknown') return kind;
		if (words.some((word) => OF_A_MESSAGE.test(word))) return 'refund';
	}
	return 'topup';
}

/** How far a transaction is as a top-up; `none` for one that is no top-up, or that takes money. */
export type TopUpStage = 'none' | PaymentStage;

/**
 * Tells how far a transaction is as a top-up. A row without a status is money that has come, unless its type says
 * otherwise, as `failed_topup` does.
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

/** Whether the words of a type name a top-up, whatever else they say. */
export function mentionsTopUp(row: WalletRow): boolean {
	return statusWords(row.type ?? '').some((word) => kindOfWord(word) === 'topup');
}
