import type { INodeParameters } from 'n8n-workflow';
import { jsonServer } from '../support/jsonServer';
import { startEngine } from '../support/n8n/engine';
import { skipWaits } from '../support/skipWaits';

/** Waits for a top-up with these statuses, one per request. The last one repeats. */
async function waitFor(statuses: readonly string[], timeLimit: number) {
	let requests = 0;
	await using server = await jsonServer(() => {
		const status = statuses[Math.min(requests++, statuses.length - 1)];
		return { success: true, reference: 'top_1', status, amount: 20, type: 'topup', balance: 60 };
	});
	const engine = await startEngine({
		messagingServiceApi: { baseUrl: server.baseUrl, apiKey: 'sk_live_1', authHeader: 'X-API-Key' },
	});
	const parameters: INodeParameters = {
		resource: 'wallet',
		operation: 'waitForTopUp',
		reference: 'top_1',
		timeLimit,
	};
	const { outputs } = await engine.run({ parameters });
	return { rows: outputs[0]?.map(({ json }) => json) ?? [], requests };
}

describe('Wallet > Wait for Top-Up', () => {
	it.each(['pending', 'processing', 'initiated', 'awaiting_payment', 'in_progress', 'gold'])(
		'continues to wait at the top-up status %s',
		async (status) => {
			using _ = skipWaits(1_000);
			const { rows, requests } = await waitFor([status, 'completed'], 30);
			expect(rows).toEqual([expect.objectContaining({ status: 'completed', paid: 'yes', timed_out: false })]);
			expect(requests).toBe(2);
		},
	);

	it.each(['denied', 'failed', 'cancelled', 'declined', 'expired', 'abandoned', 'reversed'])(
		'stops at the top-up status %s and reports that nothing was paid',
		async (status) => {
			const { rows, requests } = await waitFor([status, 'completed'], 30);
			expect(rows).toEqual([expect.objectContaining({ status, paid: 'no', timed_out: false })]);
			// No money will come, so the payer has nothing left to do.
			expect(rows[0]).not.toHaveProperty('payer_steps');
			expect(requests).toBe(1);
		},
	);

	it.each([
		['pending', 'pending', true],
		['processing', 'pending', true],
		['gold', 'unknown', false],
	])('returns timed_out if the top-up status is %s at the time limit', async (status, paid, hasSteps) => {
		const { rows } = await waitFor([status], 0);
		expect(rows).toEqual([expect.objectContaining({ status, paid, timed_out: true })]);
		expect('payer_steps' in (rows[0] ?? {})).toBe(hasSteps);
	});
});
