import { z } from 'zod/v4';
import { magicCents } from '../magicNumbers';
import type { Services } from '../services';
import { UNITS } from '../store/money';
import type { CheckoutResult, TopUp } from '../store/topUps';

const actions = ['pay', 'decline', 'leave'] as const;

/** The choice at the checkout of a top-up. */
export const checkoutChoice = z.strictObject({
	action: z.enum(actions, `is not one of ${actions.join(', ')}`),
	method: z.enum(['card', 'mobile_money'], 'is neither card nor mobile_money').default('card'),
});

/** {@link checkoutChoice} */
export type CheckoutChoice = z.output<typeof checkoutChoice>;

/** How long a mobile-money payment takes to be confirmed, in milliseconds. */
export const MOBILE_MONEY_MS = 3000;

/**
 * Simulates the payment of a top-up. An amount with magic cents decides the result. `leave` changes nothing.
 * @returns the top-up as it is now; undefined if there is none
 */
export function checkOut(
	{ store, clock }: Pick<Services, 'store' | 'clock'>,
	reference: string,
	choice: CheckoutChoice,
): TopUp | undefined {
	const topUp = store.topUps.find(reference);
	const result = topUp && resultOf(topUp.amount, choice, clock.now());
	return result ? store.topUps.checkOut(reference, result, clock.now()) : topUp;
}

function resultOf(amount: number, { action, method }: CheckoutChoice, now: number): CheckoutResult | undefined {
	const cents = (amount / (UNITS / 100)) % 100;
	if (action === 'leave' || cents === magicCents.abandoned) return undefined;
	if (action === 'decline' || cents === magicCents.fails) return { status: 'failed', method };
	if (cents === magicCents.neverCompletes) return { status: 'pending', method, settlesAt: undefined };
	if (method === 'mobile_money') return { status: 'pending', method, settlesAt: now + MOBILE_MONEY_MS };
	return { status: 'completed', method };
}
