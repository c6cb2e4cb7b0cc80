import { contract } from '../../shared/contract';
import { findCarrier } from '../simulation/carrier';
import { PRICES } from '../simulation/price';
import { toCurrency } from '../store/money';
import { insufficient } from './charge';
import { handle, type Handlers } from './handler';
import { newId } from './ids';

/** Endpoint of phone lookups (docs/api.md#look-up-a-phone-number). Price and result are the sandbox's choice. */
export const lookup: Handlers['lookup'] = {
	phone: handle(contract.lookup.phone, ({ phone }, { store, clock }) => {
		const paid = store.wallet.pay({
			amount: PRICES.lookup,
			reference: newId('look'),
			description: `Lookup of ${phone}`,
			created_at: clock.now(),
		});
		if (!paid.accepted) throw insufficient('The lookup', PRICES.lookup, paid.available, paid.currency);
		return { phone, ...findCarrier(phone), cost: toCurrency(PRICES.lookup), balance: toCurrency(paid.balance) };
	}),
};
