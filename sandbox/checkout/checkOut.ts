import { z } from 'zod/v4';
import { magicCents } from '../magicNumbers';
import type { Services } from '../services';
import { UNITS } from '../store/money';
import { awaitsApproval, type CheckoutResult, type TopUp } from '../store/topUps';

const actions = ['pay', 'decline', 'leave', 'approve'] as const;
const methods = ['card', 'mobile_money', 'mobile_money_no_prompt'] as const;

/**
 * The choice at the checkout of a top-up. With `mobile_money_no_prompt`, no prompt comes to the phone. `approve` and
 * `decline` are then the choices in the menu of the network.
 */
export const checkoutChoice = z.strictObject({
	action: z.enum(actions, `is not one of ${actions.join(', ')}`),
	method: z.enum(methods, `is not one of ${methods.join(', ')}`).default('card'),
});

/** {@link checkoutChoice} */
export type CheckoutChoice = z.output<typeof checkoutChoice>;

/** How long a mobile-money payment takes to be confirmed, in milliseconds. */
export const MOBILE_MONEY_MS = 3000;

/** How long a mobile-money payment whose prompt never came can be approved, in milliseconds. */
export const APPROVAL_MS = 600_000;

/**
 * Simulates the payment of a top-up. An amount with magic cents decides the result. `leave` changes nothing, and neither
 * does `approve` before a payment by mobile money.
 * @returns the top-up as it is now; undefined if there is none
 */
export function checkOut(
	{ store, clock }: Pick<Services, 'store' | 'clock'>,
	reference: string,
	choice: CheckoutChoice,
): TopUp | undefined {
	const topUp = store.topUps.find(reference);
	const result = topUp && resultOf(topUp, choice, clock.now());
	return result ? store.topUps.checkOut(reference, result, clock.now()) : topUp;
}

function resultOf(topUp: TopUp, { action, method }: CheckoutChoice, now: number): CheckoutResult | undefined {
	if (action === 'leave') return undefined;
	if (awaitsApproval(topUp)) {
		if (action === 'pay') return undefined;
		return { status: action === 'approve' ? 'completed' : 'failed', method: topUp.method };
	}
	const cents = (topUp.amount / (UNITS / 100)) % 100;
	if (action === 'approve' || cents === magicCents.abandoned) return undefined;
	const paidBy = method === 'card' ? method : 'mobile_money';
	if (action === 'decline' || cents === magicCents.fails) return { status: 'failed', method: paidBy };
	if (cents === magicCents.neverCompletes) return { status: 'pending', method: paidBy };
	if (method === 'card') return { status: 'completed', method };
	const hasNoPrompt = method === 'mobile_money_no_prompt' || cents === magicCents.noPrompt;
	const next = hasNoPrompt
		? ({ status: 'expired', at: now + APPROVAL_MS } as const)
		: ({ status: 'completed', at: now + MOBILE_MONEY_MS } as const);
	return { status: 'pending', method: paidBy, next };
}
