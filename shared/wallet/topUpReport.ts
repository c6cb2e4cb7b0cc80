import { PAYER_STEPS } from '../contract/payerSteps';
import { paymentStage, type PaymentStage } from './paymentStage';

/** What the status of a top-up means to the payer and the owner of the wallet. */
export interface TopUpReport {
	/**
	 * `yes`: the money is in the wallet. `no`: denied, expired and the like, so no money will come from this link.
	 * `pending`: not paid yet. `unknown`: the status does not say.
	 */
	readonly paid: 'yes' | 'no' | 'pending' | 'unknown';
	/** The next steps of a payer by mobile money, to send to the payer. Only while `paid` is `pending`. */
	readonly payer_steps?: string;
}

const PAID: Readonly<Record<PaymentStage, TopUpReport['paid']>> = {
	completed: 'yes',
	failed: 'no',
	pending: 'pending',
	unknown: 'unknown',
};

/**
 * Describes the status of a top-up (docs/api.md#top-up-states).
 * @param status as the service gives it
 * @example topUpReport('denied') // { paid: 'no' }
 */
export function topUpReport(status: string): TopUpReport {
	const paid = PAID[paymentStage(status)];
	return paid === 'pending' ? { paid, payer_steps: PAYER_STEPS } : { paid };
}
