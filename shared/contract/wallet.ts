import { z } from 'zod/v4';
import { endpoint } from './endpoint';
import { money } from './fields';

/** GET /balance (service.md, Balance); its response shape is not shown there. */
export const getBalance = endpoint({
	id: 'wallet.getBalance',
	method: 'GET',
	path: '/balance',
	summary: 'Get the wallet balance of the owner of the key',
	input: z.object({}),
	output: z.looseObject({ balance: money, currency: z.string().nullish() }),
	answer: {
		kind: 'record',
		aliases: {
			balance: ['wallet.balance'],
			currency: ['wallet.currency'],
		},
	},
	repeat: 'safe',
	charges: false,
	errors: [],
	example: { input: {}, output: { balance: 40, currency: 'GHS' } },
});
