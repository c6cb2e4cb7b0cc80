import { z } from 'zod/v4';
import { startSandbox, type Sandbox } from '../../sandbox/server';
import {
	contract,
	createClient,
	readCheckedCode,
	recipientResults,
	sendBatches,
	type Client,
	type RecipientResult,
} from '../../shared';
import { planBatches } from '../../shared/bulk/batches';
import { undiciTransport } from '../../shared/transports/undici';
import { sandboxControl } from '../support/sandboxControl';

/** The shapes in which the sandbox reports a failed call, read over real sockets. Its wallet shows the true result. */

const REACHABLE = '+233201234567';
const OPTED_OUT = '+233244000200';

let sandbox: Sandbox;
let control: ReturnType<typeof sandboxControl>;
let client: Client;

beforeEach(async () => {
	sandbox = await startSandbox({ clock: 'stopped' });
	control = sandboxControl(sandbox);
	client = createClient({ baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey, transport: undiciTransport() });
	await control.ask('POST', 'opt-outs', { number: OPTED_OUT });
});
afterEach(() => sandbox.stop());

const message = { sender_id: 'KOFISHOP', message: 'We are open' };

async function sendToAll(numbers: readonly string[]): Promise<RecipientResult[]> {
	const recipients = numbers.map((to, position) => ({ to, source: 0, position }));
	const rows: RecipientResult[] = [];
	for await (const result of sendBatches(
		async ({ input }) => await client.call(contract.sms.sendBulk, input),
		planBatches(recipients, message),
	))
		rows.push(...recipientResults(result));
	return rows;
}

describe.each(['success_false', 'wrapped', 'row', 'text'])('a rejected call reported in a 200 as %s', (shape) => {
	it.each([
		['flat', 'flat'],
		['nested', 'data'],
		['list', 'named'],
		['fields', 'flat'],
		['text', 'flat'],
	])('never accepts a rejected call, with errors as %s and records as %s', async (error_shape, record_shape) => {
		await control.settings({ rejection_shape: shape, error_shape, record_shape });
		const calls = await Promise.all([
			client.call(contract.sms.send, { to: OPTED_OUT, ...message }),
			client.call(contract.verification.start, { phone: OPTED_OUT, sender_id: 'KOFISHOP' }),
			client.call(contract.whatsapp.send, { to: OPTED_OUT, message: 'We are open' }),
			client.call(contract.voice.send, { to: OPTED_OUT, message: 'We are open' }),
		]);
		// The rows of a bulk send report the failure: the service may have accepted a part.
		const rows = await sendToAll([OPTED_OUT]);
		expect([...calls, ...rows].map(({ outcome }) => outcome)).not.toContain('accepted');
		expect(await control.messages()).toEqual([]);
	});

	it('does not report an accepted send as rejected or unknown', async () => {
		await control.settings({ rejection_shape: shape });
		const sent = await client.call(contract.sms.send, { to: REACHABLE, ...message });
		expect(sent.outcome).toBe('accepted');
		expect(await control.messages()).toHaveLength(1);
	});
});

describe.each(['rows', 'renamed_rows', 'lists', 'groups', 'map', 'counts'])(
	'a bulk send reported as %s',
	(bulk_shape) => {
		it.each(['flat', 'data', 'named'])('never reports the skipped recipient as accepted (%s)', async (record_shape) => {
			await control.settings({ bulk_shape, record_shape, bulk_opt_outs: 'skip' });
			const results = await sendToAll([REACHABLE, OPTED_OUT]);
			const outcomes = Object.fromEntries(results.map(({ to, outcome }) => [to, outcome]));
			expect(outcomes[OPTED_OUT]).not.toBe('accepted');
			// Counts alone do not say which of the two recipients was skipped.
			expect(outcomes[REACHABLE]).toBe(bulk_shape === 'counts' ? 'unknown' : 'accepted');
			expect((await control.messages()).map(({ to }) => to)).toEqual([REACHABLE]);
		});
	},
);

describe.each(['answer', 'flag', 'list', 'words', 'success'])('a checked code reported as %s', (verification_shape) => {
	async function check(right: boolean, acceptSuccess: boolean): Promise<boolean> {
		await control.settings({ verification_shape });
		const { verification_id } = await client.verification.start({ phone: REACHABLE, sender_id: 'KOFISHOP' });
		const sent = await control.ask('GET', `phones/${encodeURIComponent(REACHABLE)}/code`);
		const { code } = z.object({ code: z.string() }).parse(sent);
		const given = right ? code : code === '111111' ? '222222' : '111111';
		const checked = await client.call(contract.verification.check, {
			verification_id: Number(verification_id),
			code: given,
		});
		if (checked.outcome !== 'accepted') return false;
		return readCheckedCode(checked.output, { acceptSuccess, optionName: 'Accept Success as Valid', code: given }).valid;
	}

	it.each([true, false])('never accepts a wrong code (acceptSuccess: %s)', async (acceptSuccess) => {
		expect(await check(false, acceptSuccess)).toBe(false);
	});

	it('accepts a right code if the response says so', async () => {
		// Free text and a bare success are not a verdict. An option accepts the second.
		const says = verification_shape !== 'words' && verification_shape !== 'success';
		expect(await check(true, false)).toBe(says);
		if (verification_shape !== 'words') expect(await check(true, true)).toBe(true);
	});
});
