import parsePhoneNumber from 'libphonenumber-js/max';
import { magicNumbers } from './magicNumbers';

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

/** Result of a lookup. */
export interface CarrierResponse {
	readonly valid: boolean;
	readonly carrier: string | null;
	/** ISO 3166 code. */
	readonly country: string | null;
}

/** Reports whether a number is valid, and the network of a Ghanaian one. */
export function findCarrier(phone: string): CarrierResponse {
	if (phone === magicNumbers.unreachable) return { valid: false, carrier: null, country: 'GH' };
	if (Object.values<string>(magicNumbers).includes(phone)) return { valid: true, carrier: 'Sandbox', country: 'GH' };
	const number = parsePhoneNumber(phone);
	const valid = number?.isValid() ?? false;
	const carrier = number?.country === 'GH' && valid ? NETWORKS[number.nationalNumber.slice(0, 2)] : undefined;
	return { valid, carrier: carrier ?? null, country: number?.country ?? null };
}
