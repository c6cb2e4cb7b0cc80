import { z } from 'zod/v4';
import { chargeAliases } from './charges';
import { endpoint } from './endpoint';
import { money, phoneNumber } from './fields';

const lookupAliases = {
	valid: ['is_valid'],
	carrier: ['carrier.name', 'network'],
	country: ['country.name', 'country_code'],
	cost: ['lookup_cost', 'cost_per_lookup', 'fee', ...chargeAliases.cost],
};

/** Endpoints of phone lookups (docs/api.md#phone-lookup). */
export const lookup = {
	/**
	 * Looks up a phone number: POST /lookup/phone (docs/api.md#look-up-a-phone-number). The name of the cost field is
	 * undocumented.
	 */
	phone: endpoint({
		id: 'lookup.phone',
		method: 'POST',
		path: '/lookup/phone',
		summary: 'Look up whether a phone number is valid, its carrier and country',
		input: z.object({ phone: phoneNumber }),
		output: z.looseObject({
			valid: z.boolean(),
			carrier: z.string().nullish(),
			country: z.string().nullish(),
			cost: money.nullish(),
		}),
		response: {
			kind: 'record',
			aliases: lookupAliases,
		},
		repeat: 'once',
		charges: 'lookup',
		errors: ['validation', 'insufficient_balance', 'channel_not_set_up'],
		setUp: { name: 'Phone lookup', hint: 'Phone lookup must be set up on the platform. Ask the service for it.' },
		hints: {
			doubt: 'It is unknown whether the lookup was made',
			unknown: 'The lookup may have been made and charged. Looking the number up again may be charged again.',
			accepted: 'The lookup was made and may have been charged. Looking the number up again may be charged again.',
		},
		example: {
			input: { phone: '+233201234567' },
			output: { valid: true, carrier: 'Telecel Ghana', country: 'GH', cost: 0.01 },
		},
	}),
} as const;
