import { Hono } from 'hono';
import { PAYER_STEPS } from '../../shared/contract/payerSteps';
import { readJson } from '../http/body';
import type { HonoEnv } from '../http/env';
import { parseInput } from '../http/parse';
import { HttpError } from '../http/httpError';
import type { Services } from '../services';
import { toCurrency } from '../store/money';
import { awaitsApproval, type TopUp } from '../store/topUps';
import { checkOut, checkoutChoice } from './checkOut';

/** The state of a checkout. Amounts are in currency units. */
export interface CheckoutState {
	readonly reference: string;
	readonly amount: number;
	readonly fee: number;
	readonly total: number;
	readonly currency: string;
	readonly status: TopUp['status'];
	readonly method: TopUp['method'];
	/** Host of the return URL, or null. */
	readonly returns_to: string | null;
	/** The steps of a payer to whose phone no prompt came, or null. */
	readonly payer_steps: string | null;
}

/** The result of a choice at the checkout. */
export interface CheckoutResponse {
	readonly reference: string;
	/** `cancelled` if the customer left without paying. */
	readonly status: TopUp['status'] | 'cancelled';
	/** The URL to go to next, or null. A payer who has yet to approve stays at the checkout. */
	readonly redirect: string | null;
}

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
		const topUp = find(c.req.param('reference'));
		const { reference, amount, fee, status, method, return_url } = topUp;
		const state: CheckoutState = {
			reference,
			amount: toCurrency(amount),
			fee: toCurrency(fee),
			total: toCurrency(amount + fee),
			currency: store.wallet.read().currency,
			status,
			method,
			returns_to: return_url === null ? null : new URL(return_url).host,
			payer_steps: awaitsApproval(topUp) ? PAYER_STEPS : null,
		};
		return c.json(state);
	});
	routes.post('/checkout/:reference/choice', async (c) => {
		const choice = parseInput(checkoutChoice, await readJson(c.env.incoming));
		const before = find(c.req.param('reference'));
		const topUp = checkOut({ store, clock }, before.reference, choice) ?? before;
		const left = topUp.status === 'pending' && topUp.method === null;
		const status = left ? 'cancelled' : topUp.status;
		const response: CheckoutResponse = { reference: topUp.reference, status, redirect: redirectOf(topUp, status) };
		return c.json(response);
	});
	return routes;
}

function redirectOf(topUp: TopUp, status: string): string | null {
	const { return_url, reference } = topUp;
	if (return_url === null || awaitsApproval(topUp)) return null;
	const url = new URL(return_url);
	url.searchParams.set('reference', reference);
	url.searchParams.set('status', status);
	return url.href;
}
