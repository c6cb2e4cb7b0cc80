import { paymentStage } from '../../../shared/wallet/paymentStage';
import {
	topUpStage,
	transactionKind,
	type TopUpStage,
	type TransactionKind,
} from '../../../shared/wallet/transactionKind';
import type { WalletRow } from '../../../shared/wallet/walletRow';

describe('transactionKind', () => {
	it.each<[string, TransactionKind]>([
		['topup', 'topup'],
		['top_up', 'topup'],
		['Top-Up', 'topup'],
		['TOP UP', 'topup'],
		['walletTopUp', 'topup'],
		['TOPUPFee', 'fee'],
		['SMSRefund', 'refund'],
		['top2up', 'topup'],
		['TOPUP', 'topup'],
		['recharge', 'topup'],
		['wallet_recharge', 'topup'],
		['deposit', 'topup'],
		['funding', 'topup'],
		['credit_purchase', 'topup'],
		['credit', 'topup'],
		['Wallet Credit', 'topup'],
		['failed_topup', 'topup'],
		['debit', 'charge'],
		['sms_charge', 'charge'],
		['purchase', 'charge'],
		['package_purchase', 'charge'],
		['usage', 'charge'],
		['topup_charge', 'charge'],
		['refund', 'refund'],
		['fee_refund', 'refund'],
		['charge_refund', 'refund'],
		['credit_refund', 'refund'],
		['topup_fee', 'fee'],
		['top_up_fee', 'fee'],
		['recharge fee', 'fee'],
		['topup_reversal', 'reversal'],
		['reversed_topup', 'reversal'],
		['chargeback', 'reversal'],
		['adjustment', 'adjustment'],
		['topup_bonus', 'adjustment'],
		['credit_adjustment', 'adjustment'],
		['sms', 'unknown'],
		['transfer', 'unknown'],
		['loyalty_credit', 'unknown'],
		['accredited', 'unknown'],
		['discharge', 'unknown'],
		['', 'unknown'],
	])('reads the transaction type %j as %s', (type, kind) => {
		expect(transactionKind({ type, amount: 50 })).toBe(kind);
	});

	it.each<[WalletRow, TransactionKind]>([
		[{ type: 'credit', amount: -5 }, 'unknown'],
		[{ type: 'credit' }, 'unknown'],
		[{ type: 'credit', amount: 0.05, message_id: 'msg_1' }, 'refund'],
		[{ type: 'credit', amount: 0.05, description: 'Refund of a failed message' }, 'refund'],
		[{ type: 'credit', amount: 0.05, reason: 'undelivered SMS' }, 'refund'],
		[{ type: 'credit', amount: 5, description: 'Promo bonus' }, 'adjustment'],
		[{ type: 'credit', amount: 50, description: 'Wallet top-up by card' }, 'topup'],
		[{ amount: 5 }, 'unknown'],
		[{ type: null, amount: 5 }, 'unknown'],
	])('reads the row %j as %s', (row, kind) => {
		expect(transactionKind(row)).toBe(kind);
	});
});

describe('topUpStage', () => {
	it.each<[WalletRow, TopUpStage]>([
		[{ type: 'topup', amount: 20 }, 'completed'],
		[{ type: 'topup' }, 'completed'],
		[{ type: 'topup', amount: 20, status: 'completed' }, 'completed'],
		[{ type: 'topup', amount: 20, status: 'paid' }, 'completed'],
		[{ type: 'topup', amount: 20, status: true }, 'completed'],
		[{ type: 'topup_completed', amount: 20 }, 'completed'],
		[{ type: 'topup', amount: 20, status: 'pending' }, 'pending'],
		[{ type: 'topup', amount: 20, status: 'processing' }, 'pending'],
		[{ type: 'topup_initiated', amount: 20 }, 'pending'],
		[{ type: 'topup', amount: 20, status: 'completed', payment_status: 'pending' }, 'pending'],
		[{ type: 'topup', amount: 20, status: 'declined' }, 'failed'],
		[{ type: 'failed_topup', amount: 20 }, 'failed'],
		[{ type: 'failed_topup', amount: 20, status: 'success' }, 'failed'],
		[{ type: 'topup', amount: 20, status: false }, 'failed'],
		[{ type: 'topup', amount: 20, status: 'level 3' }, 'unknown'],
		[{ type: 'topup', amount: 20, status: 7 }, 'unknown'],
		[{ type: 'topup', amount: -20 }, 'none'],
		[{ type: 'topup', amount: 0 }, 'none'],
		[{ type: 'topup_fee', amount: 20 }, 'none'],
		[{ type: 'topup_reversal', amount: 20 }, 'none'],
		[{ type: 'debit', amount: 20 }, 'none'],
		[{ amount: 20 }, 'none'],
	])('reads the top-up %j as %s', (row, stage) => {
		expect(topUpStage(row)).toBe(stage);
	});
});

describe('paymentStage', () => {
	it.each([
		['completed', 'COMPLETED', 'Success', 'payment_successful', 'paid', 'settled'],
		['pending', 'Processing', 'in_progress', 'initiated', 'awaiting_payment', 'success_pending_review', 'on-hold'],
		['failed', 'denied', 'DECLINED', 'cancelled', 'canceled', 'expired', 'abandoned', 'unsuccessful', 'reversed'],
		['unknown', '', '7', 'not_paid', 'unpaid', 'partially_completed', 'incomplete', 'gold'],
	])('gives the payment stage %s for all of its statuses', (stage, ...statuses) => {
		expect(statuses.map((status) => [status, paymentStage(status)])).toEqual(statuses.map((status) => [status, stage]));
	});

	it('reads a long text as fast as a short one', () => {
		expect(paymentStage('topUp_'.repeat(200_000))).toBe('unknown');
	});
});
