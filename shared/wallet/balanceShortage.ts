import type { ServiceError } from '../client/errors';
import type { contract } from '../contract';
import type { OutputOf } from '../contract/endpoint';

/**
 * The balance of the wallet (docs/api.md#get-the-balance).
 * @example const { balance, currency }: WalletBalance = await client.wallet.getBalance();
 */
export type WalletBalance = OutputOf<typeof contract.wallet.getBalance>;

/**
 * Says that the balance is below an estimated cost.
 * @param needed estimated cost, in the currency of the wallet
 * @returns undefined if the balance is enough
 * @example balanceShortage({ balance: 40, currency: 'GHS' }, 60) // 'The wallet holds 40 GHS, but ...'
 */
export function balanceShortage({ balance, currency }: WalletBalance, needed: number): string | undefined {
	if (balance >= needed) return undefined;
	const unit = currency ? ` ${currency}` : '';
	return `The wallet holds ${balance}${unit}, but this run is estimated to cost ${needed}${unit}. Package credits are used first and are not counted here. Top up the wallet if they are not enough.`;
}

/**
 * Says why the balance is not known.
 * @example balanceUnread(failed.error) // 'The balance of the wallet could not be read: ...'
 */
export function balanceUnread(error: ServiceError): string {
	return `The balance of the wallet could not be read: ${error.message}`;
}
