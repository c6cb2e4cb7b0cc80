import { contract } from '../../shared/contract';
import { FEE_RATE, feeOf } from '../simulation/price';
import { HttpError } from '../http/httpError';
import { toTimestamp } from '../http/timestamp';
import { toCurrency, toUnits, UNITS } from '../store/money';
import type { Store } from '../store/store';
import type { WalletTransaction } from '../store/wallet';
import { handle, type Handlers } from './handler';
import { newId } from '../store/ids';

/** Minimum and maximum of one top-up, in currency units. */
export const TOP_UP_LIMITS = { least: 1, most: 10_000 } as const;

/** Time to pay a top-up, in milliseconds. */
export const TOP_UP_VALID_MS = 86_400_000;

const DEFAULT_LIMIT = 50;

/** Endpoints of the wallet (docs/api.md#wallet). */
export const wallet: Handlers['wallet'] = {
	getBalance: handle(contract.wallet.getBalance, (_input, { store }) => {
		const { balance, currency } = store.wallet.read();
		return { balance: toCurrency(balance), currency };
	}),

	createTopUp: handle(contract.wallet.createTopUp, ({ amount, return_url = null }, { store, clock, url }) => {
		if (amount < TOP_UP_LIMITS.least || amount > TOP_UP_LIMITS.most) {
			const { least, most } = TOP_UP_LIMITS;
			throw new HttpError(422, 'validation', `amount ${amount} is not between ${least} and ${most}.`);
		}
		const units = toUnits(amount);
		if (units % (UNITS / 100) !== 0) {
			throw new HttpError(422, 'validation', `amount ${amount} has more than two decimals.`);
		}
		const now = clock.now();
		const fee = feeOf(units);
		const { reference, status } = store.topUps.add(
			{ reference: newId('top'), amount: units, fee, return_url, created_at: now },
			now + TOP_UP_VALID_MS,
		);
		return {
			reference,
			checkout_url: `${url}/checkout/${reference}`,
			currency: store.wallet.read().currency,
			amount_credit: toCurrency(units),
			fee: toCurrency(fee),
			fee_rate: FEE_RATE,
			total_wallet: toCurrency(units + fee),
			total_charged_ghs: toCurrency(units + fee),
			status,
		};
	}),

	getTopUp: handle(contract.wallet.getTopUp, ({ reference }, { store }) => {
		const topUp = store.topUps.find(reference);
		if (!topUp) throw new HttpError(404, 'not_found', `There is no top-up with the reference ${reference}.`);
		const { balance, currency } = store.wallet.read();
		return {
			reference,
			status: topUp.status,
			amount: toCurrency(topUp.amount),
			type: 'topup',
			gateway: 'sandbox',
			balance: toCurrency(balance),
			currency,
			created_at: toTimestamp(topUp.created_at),
		};
	}),

	listTransactions: handle(contract.wallet.listTransactions, ({ limit = DEFAULT_LIMIT, offset = 0 }, { store }) =>
		pageOf(store, limit, offset).map((row) => ({ ...toTransaction(row), id: String(row.id) })),
	),
};

/** Returns a page of transactions in the order of the settings. */
function pageOf({ wallet, settings }: Store, limit: number, offset: number) {
	if (settings.read().transaction_order === 'newest_first') return wallet.page(limit, offset);
	const before = wallet.count() - offset;
	const most = Math.min(limit, Math.max(0, before));
	return wallet.page(most, Math.max(0, before - most)).reverse();
}

/** Converts a wallet transaction to the form of the API and the control routes. Amounts are in currency units. */
export function toTransaction(row: WalletTransaction) {
	const { id, type, amount, balance_after, message_id, reference, description, created_at } = row;
	return {
		id,
		type,
		amount: toCurrency(amount),
		balance: toCurrency(balance_after),
		message_id,
		reference,
		description,
		created_at: toTimestamp(created_at),
	};
}
