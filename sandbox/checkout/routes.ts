import { Hono } from 'hono';
import { z } from 'zod/v4';
import { readJson } from '../http/body';
import type { HonoEnv } from '../http/env';
import { parseInput } from '../http/parse';
import { HttpError } from '../http/httpError';
import type { Services } from '../services';
import { toCurrency } from '../store/money';
import type { TopUp } from '../store/topUps';
import { checkoutActions, checkOut } from './checkOut';

const input = z.strictObject({
	action: z.enum(checkoutActions, `is not one of ${checkoutActions.join(', ')}`),
	method: z.enum(['card', 'mobile_money'], 'is neither card nor mobile_money').default('card'),
});

/**
 * Routes of the checkout page: `GET checkout/:reference/state`, and `POST checkout/:reference/choice {action, method}`,
 * which returns the URL to go to next (docs/api.md#create-a-top-up: `return_url`).
 */
export function createCheckout({ store, clock }: Services): Hono<HonoEnv> {
	const routes = new Hono<HonoEnv>();
	const find = (reference: string) => {
		const topUp = store.topUps.find(reference);
		if (!topUp) throw new HttpError(404, 'not_found', `There is no top-up with the reference ${reference}.`);
		return topUp;
	};
	routes.get('/checkout/:reference/state', (c) => {
		const { reference, amount, fee, status, method, return_url } = find(c.req.param('reference'));
		return c.json({
			reference,
			amount: toCurrency(amount),
			fee: toCurrency(fee),
			total: toCurrency(amount + fee),
			currency: store.wallet.read().currency,
			status,
			method,
			returns_to: return_url === null ? null : new URL(return_url).host,
		});
	});
	routes.post('/checkout/:reference/choice', async (c) => {
		const { action, method } = parseInput(input, await readJson(c.env.incoming));
		const before = find(c.req.param('reference'));
		const topUp = checkOut({ store, clock }, before.reference, action, method) ?? before;
		const left = topUp.status === 'pending' && topUp.method === null;
		const status = left ? 'cancelled' : topUp.status;
		return c.json({ reference: topUp.reference, status, redirect: redirectOf(topUp, status) });
	});
	return routes;
}

function redirectOf({ return_url, reference }: TopUp, status: string): string | null {
	if (return_url === null) return null;
	const url = new URL(return_url);
	url.searchParams.set('reference', reference);
	url.searchParams.set('status', status);
	return url.href;
}
