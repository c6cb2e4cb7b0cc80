import { join } from 'node:path';
import { z } from 'zod/v4';
import { startSandbox } from '../../sandbox/server';
import { contract } from '../../shared';
import { expectGolden, formattingArtifact, render, steady, type Entry } from '../support/golden';
import { PHONE, run, type TestSandbox } from '../support/testSandbox';

const GOLDEN = join(__dirname, 'errors.golden.md');
const HEADING = {
	title: 'Errors of the sandbox',
	source: 'Status, code and message of rejected requests to the API and to the control routes.',
	test: 'test/sandbox/errors.golden.test.ts',
};

const entries: Entry[] = [];
const errorBody = z.object({ code: z.string().optional(), message: z.string() });

function note(chapter: string, failure: string, where: string, { status, body }: { status: number; body: unknown }) {
	const { code, message } = errorBody.parse(body);
	entries.push({ chapter, failure, where, shown: [steady(`${message} [${status} ${code ?? 'no code'}]`)] });
}

const bulkInput = (to: readonly unknown[]) => ({ to, sender_id: 'KOFISHOP', message: 'Hello' });
const bulk = async (sandbox: TestSandbox, to: readonly unknown[]) =>
	await sandbox.api('POST', 'sms/bulk', bulkInput(to));

it('records the rejections of the API', async () => {
	const chapter = 'API';
	await using sandbox = await run();
	note(chapter, 'No key', 'sms.send', await sandbox.api('POST', 'sms/send', {}, {}));
	note(chapter, 'Unknown key', 'sms.send', await sandbox.api('POST', 'sms/send', {}, { 'x-api-key': 'sk_sandbox_x' }));
	note(chapter, 'Unknown path', 'nowhere', await sandbox.api('GET', 'nowhere'));
	note(chapter, 'Not JSON', 'sms.send', await sandbox.api('POST', 'sms/send', '{"to":'));
	note(chapter, 'No fields', 'sms.send', await sandbox.api('POST', 'sms/send', {}));
	note(chapter, 'Not E.164', 'sms.send', await sandbox.send({ to: '0201234567' }));
	note(chapter, 'Sender ID unknown', 'sms.send', await sandbox.send({ sender_id: 'UNKNOWN' }));
	note(chapter, 'Sender ID pending', 'sms.send', await sandbox.send({ sender_id: 'PENDINGCO' }));
	note(chapter, 'Message too long', 'sms.send', await sandbox.send({ message: 'a'.repeat(1601) }));
	note(chapter, 'Two invalid numbers', 'sms.sendBulk', await bulk(sandbox, [PHONE, '0201234567', 5]));
	const many = Array.from({ length: 100_001 }, () => PHONE);
	note(chapter, 'Too many numbers', 'sms.sendBulk', await bulk(sandbox, many));
	note(chapter, 'Message not found', 'message.get', await sandbox.api('GET', 'messages/msg_none'));
	await sandbox.control('POST', 'opt-outs', { number: PHONE });
	note(chapter, 'Opted out', 'sms.send', await sandbox.send());
	note(chapter, 'Opted out', 'sms.sendBulk', await bulk(sandbox, [PHONE]));
	await sandbox.control('POST', 'reset');
	await sandbox.control('POST', 'wallet/adjust', { amount: -39.99 });
	note(chapter, 'Wallet empty', 'sms.send', await sandbox.send());
	note(chapter, 'Wallet empty', 'sms.sendBulk', await bulk(sandbox, [PHONE, '+233201234568']));
	await sandbox.control('POST', 'reset');
	// Every feature has the same sentence.
	await sandbox.control('PUT', 'settings', { whatsapp_set_up: false });
	const { path, example } = contract.whatsapp.send;
	note(chapter, 'Not set up', 'whatsapp.send', await sandbox.api('POST', path.slice(1), example.input));
	await sandbox.control('PUT', 'settings', { requests_per_second: 1 });
	await sandbox.api('GET', 'balance');
	note(chapter, 'Too many requests', 'wallet.getBalance', await sandbox.api('GET', 'balance'));
}, 30_000);

it('records the rejections of the control routes', async () => {
	const chapter = 'Control routes';
	await using sandbox = await run();
	const settings = async (failure: string, change: object) =>
		note(chapter, failure, 'settings', await sandbox.control('PUT', 'settings', change));
	await settings('Receiver not a URL', { inbound_urls: ['http://127.0.0.1/', 'nowhere'] });
	await settings('Eleven receivers', { inbound_urls: Array.from({ length: 11 }, () => 'http://127.0.0.1/') });
	await settings('Unknown setting', { no_such_setting: true });
	note(
		chapter,
		'Unknown fault',
		'faults',
		await sandbox.control('POST', 'faults', { endpoint: 'sms.send', kind: 'x' }),
	);
	note(chapter, 'Not a number', 'opt-outs', await sandbox.control('POST', 'opt-outs', { number: 'Kofi' }));
	note(chapter, 'Unknown route', 'nowhere', await sandbox.control('GET', 'nowhere'));
});

it('records the errors at the start', async () => {
	const error: unknown = await startSandbox({ apiKey: 'sk_live_1' }).catch((thrown: unknown) => thrown);
	entries.push({
		chapter: 'Start',
		failure: 'API key without the prefix',
		where: 'startSandbox',
		shown: [String(error)],
	});
});

it('gives the same texts as errors.golden.md (UPDATE_GOLDEN=1 writes the file)', () => {
	expectGolden(GOLDEN, render(HEADING, entries));
});

it('has no formatting artifacts in an error of the sandbox', () => {
	expect(entries.length).toBeGreaterThan(20);
	expect(entries.filter(({ shown }) => formattingArtifact.test(shown.join('\n')))).toEqual([]);
});
