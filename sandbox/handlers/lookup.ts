import { contract } from '../../shared/contract';
import { findCarrier } from '../simulation/carrier';
import { priceOf } from '../simulation/price';
import { toCurrency } from '../store/money';
import { insufficient } from './charge';
import { handle, type Handlers } from './handler';
import { newId } from './ids';

const PRICE = priceOf(contract.lookup.phone);

/** Endpoint of phone lookups (docs/api.md#look-up-a-phone-number). Price and result are the sandbox's choice. */
export const lookup: Handlers['lookup'] = {
	phone: handle(contract.lookup.phone, ({ phone }, { store, clock }) => {
		const paid = store.wallet.pay({
			amount: PRICE,
			reference: newId('look'),
			description: `Lookup of ${phone}`,
			created_at: clock.now(),
		});
		if (!paid.accepted) throw insufficient('The lookup', PRICE, paid.available, paid.currency);
		return { phone, ...findCarrier(phone), cost: toCurrency(PRICE), balance: toCurrency(paid.balance) };
	}),
};
