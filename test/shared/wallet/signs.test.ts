import { findCrossings } from '../../../shared/wallet/crossings';
import { listOrder, type ListOrder } from '../../../shared/wallet/listOrder';
import { signedAmounts } from '../../../shared/wallet/signedAmounts';
import type { WalletRow } from '../../../shared/wallet/walletRow';

describe('signedAmounts', () => {
	it.each<[string, WalletRow[], Array<number | undefined>]>([
		['a minus sign', [{ type: 'sms', amount: -1 }], [-1]],
		['a charge without a sign', [{ type: 'debit', amount: 1 }], [-1]],
		['a fee without a sign', [{ type: 'topup_fee', amount: 1 }], [-1]],
		['a recharge', [{ type: 'recharge', amount: 50 }], [50]],
		['a refund', [{ type: 'refund', amount: 1 }], [1]],
		['a refund of a top-up, which may go either way', [{ type: 'topup_refund', amount: 1 }], [undefined]],
		['a reversal, which may go either way', [{ type: 'reversal', amount: 1 }], [undefined]],
		['an unlisted type', [{ type: 'sms', amount: 40 }], [undefined]],
		['an adjustment without a sign', [{ type: 'adjustment', amount: 40 }], [undefined]],
		['no amount', [{ type: 'debit' }], [undefined]],
		['a pending top-up', [{ type: 'topup', amount: 50, status: 'pending' }], [undefined]],
		[
			'an unlisted type, by the balances around it',
			[
				{ type: 'sms', amount: 40, balance: 10 },
				{ type: 'topup', amount: 50, balance: 50 },
			],
			[-40, 50],
		],
		[
			'a reversal, by the balances around it',
			[
				{ type: 'reversal', amount: 5, balance: 55 },
				{ type: 'topup', amount: 50, balance: 50 },
			],
			[5, 50],
		],
		[
			'a row that left the balance as it was',
			[
				{ type: 'topup', amount: 50, balance: 9 },
				{ type: 'debit', amount: -1, balance: 9 },
			],
			[0, -1],
		],
		[
			'an unlisted type in a list whose debits have a minus sign',
			[
				{ type: 'gift', amount: 5 },
				{ type: 'debit', amount: -1 },
			],
			[5, -1],
		],
		[
			'an unlisted type in a list whose debits have none',
			[
				{ type: 'gift', amount: 5 },
				{ type: 'debit', amount: 1 },
			],
			[undefined, -1],
		],
	])('reads the signs of %s', (_, rows, signed) => {
		expect(signedAmounts(rows)).toEqual(signed);
	});
});

describe('listOrder', () => {
	const day = (of: number) => `2026-11-${String(of).padStart(2, '0')} 10:00:00`;
	it.each<[string, WalletRow[], ListOrder]>([
		['dates that fall', [{ created_at: day(3) }, { created_at: day(2) }, { created_at: day(2) }], 'newest_first'],
		['dates that rise', [{ created_at: day(2) }, { created_at: day(2) }, { created_at: day(3) }], 'oldest_first'],
		['dates in seconds', [{ created_at: '1764000000' }, { created_at: '1764000060' }], 'oldest_first'],
		['dates in milliseconds', [{ created_at: '1764000060000' }, { created_at: '1764000000000' }], 'newest_first'],
		['one late row', [4, 3, 1, 2].map((of) => ({ created_at: day(of) })), 'newest_first'],
		['IDs that fall', [{ id: '10' }, { id: '9' }], 'newest_first'],
		['IDs that rise', [{ id: 'txn_9' }, { id: 'txn_10' }], 'oldest_first'],
		['IDs beyond exact numbers', [{ id: '9007199254740993' }, { id: '9007199254740992' }], 'newest_first'],
		['IDs that are no numbers', [{ id: 'b7f' }, { id: 'a91' }], 'unknown'],
		['IDs with other letters', [{ id: 'tx_1' }, { id: 'ref_2' }], 'unknown'],
		[
			'balances',
			[
				{ type: 'debit', amount: 1, balance: 8 },
				{ type: 'debit', amount: 1, balance: 9 },
			],
			'newest_first',
		],
		[
			'balances that fall',
			[
				{ type: 'debit', amount: 1, balance: 9 },
				{ type: 'debit', amount: 1, balance: 8 },
			],
			'oldest_first',
		],
		[
			'dates against IDs',
			[
				{ id: '1', created_at: day(3) },
				{ id: '2', created_at: day(2) },
			],
			'unknown',
		],
		[
			'equal rows',
			[
				{ type: 'debit', amount: 1 },
				{ type: 'debit', amount: 1 },
			],
			'unknown',
		],
		['one row', [{ id: '1' }], 'unknown'],
	])('reads the order of %s', (_, rows, order) => {
		expect(listOrder(rows)).toBe(order);
	});
});

describe('findCrossings', () => {
	const named = (...rows: WalletRow[]) => rows.map((row, index) => ({ ...row, id: String(rows.length - index) }));

	it('reports no crossing for an amount without a sign', () => {
		const rows = named({ type: 'sms', amount: 40 }, { type: 'debit', amount: -1 });
		expect(findCrossings(rows, 10, 20)).toEqual([]);
		expect(findCrossings(named({ type: 'sms', amount: 40 }), 10, 20)).toEqual([]);
	});

	it('reports no crossing for a pending top-up', () => {
		const rows = named(
			{ type: 'topup', amount: 50, status: 'pending', balance: 9 },
			{ type: 'debit', amount: -1, balance: 9 },
		);
		expect(findCrossings(rows, 9, 5)).toEqual([]);
	});

	it('reads a recharge as incoming money', () => {
		const rows = named({ type: 'recharge', amount: 50, balance: 60 }, { type: 'debit', amount: 1, balance: 10 });
		expect(findCrossings(rows, 60, 100)).toEqual([]);
	});

	it('assigns a crossing to the row whose balance shows it, despite unknown rows between', () => {
		const rows = named(
			{ type: 'x', amount: 3, balance: 7 },
			{ type: 'y', amount: 2 },
			{ type: 'topup', amount: 50, balance: 50 },
		);
		expect(findCrossings(rows, 7, 10)).toMatchObject([{ id: '3:10', balance_after: 7 }]);
	});

	it('reports no crossing that a later row could move to another row', () => {
		const rows = named({ type: 'x', amount: 3 }, { type: 'y', amount: 2 }, { type: 'topup', amount: 50, balance: 50 });
		expect(findCrossings(rows, 7, 10)).toEqual([]);
	});

	it('does not read the fee of a top-up as proof that all spending is listed', () => {
		const rows = named({ type: 'topup_fee', amount: -1 }, { type: 'topup', amount: 50 });
		expect(findCrossings(rows, 3, 5)).toMatchObject([{ id: 'after:1:5', balance_after: 3 }]);
	});
});
