import { magicNumbers } from '../../sandbox/magicNumbers';
import { startSandbox, type Sandbox } from '../../sandbox/server';
import { eventually } from '../support/eventually';
import { runDoctor } from '../support/runDoctor';
import { sandboxControl } from '../support/sandboxControl';
import { secondService } from '../support/secondService';

const PAID = ['--send-to', '+233201234567', '--max-spend', '0.1', '--prices', 'sms=0.05', '--sender', 'KOFISHOP'];

/** Gives the sandbox the kinds of transactions that the second service has. */
async function makeTransactions(sandbox: Sandbox): Promise<void> {
	const headers = { 'x-api-key': sandbox.apiKey, 'content-type': 'application/json' };
	for (const to of [magicNumbers.undeliverable, '+233205550102']) {
		const body = JSON.stringify({ to, sender_id: 'KOFISHOP', message: 'Hello' });
		expect((await fetch(`${sandbox.baseUrl}sms/send`, { method: 'POST', headers, body })).status).toBe(200);
	}
	// The first top-up, two debits and the refund.
	const { wallet } = sandboxControl(sandbox);
	await eventually('the refund', async () => ((await wallet()).transactions.length === 4 ? true : undefined));
}

describe('the sandbox with recorded shapes', () => {
	it('gives the same report as the service that they were recorded from', async () => {
		await using service = await secondService();
		const first = await runDoctor(service, ...PAID);
		const sandbox = await startSandbox({ shapes: first.shapes() });
		try {
			await makeTransactions(sandbox);
			const second = await runDoctor(sandbox, ...PAID);
			expect(Object.fromEntries(second.rows)).toEqual(Object.fromEntries(first.rows));
			expect(second.shapes().errors).toEqual(first.shapes().errors);
		} finally {
			await sandbox.stop();
		}
	});
});
