import parsePhoneNumber from 'libphonenumber-js/max';
import { contract } from '../../shared/contract';
import type { OutputOf } from '../../shared/contract/endpoint';
import { magicNumbers } from '../magicNumbers';
import { priceOf } from '../simulation/price';
import { toCurrency } from '../store/money';
import { insufficient } from './charge';
import { handle, type Handlers } from './handler';
import { newId } from '../store/ids';

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

/** Networks of Ghana by the two digits after the country code. Ported numbers show their old network. */
const NETWORKS: Readonly<Record<string, string>> = {
	20: 'Telecel Ghana',
	50: 'Telecel Ghana',
	24: 'MTN Ghana',
	25: 'MTN Ghana',
	53: 'MTN Ghana',
	54: 'MTN Ghana',
	55: 'MTN Ghana',
	59: 'MTN Ghana',
	26: 'AT Ghana',
	27: 'AT Ghana',
	56: 'AT Ghana',
	57: 'AT Ghana',
};

/** Reports whether a number is valid, its country, and the network of a Ghanaian one. */
function findCarrier(phone: string): Pick<OutputOf<typeof contract.lookup.phone>, 'valid' | 'carrier' | 'country'> {
	if (phone === magicNumbers.unreachable) return { valid: false, carrier: null, country: 'GH' };
	if (Object.values<string>(magicNumbers).includes(phone)) return { valid: true, carrier: 'Sandbox', country: 'GH' };
	const number = parsePhoneNumber(phone);
	const valid = number?.isValid() ?? false;
	const carrier = number?.country === 'GH' && valid ? NETWORKS[number.nationalNumber.slice(0, 2)] : undefined;
	return { valid, carrier: carrier ?? null, country: number?.country ?? null };
}
