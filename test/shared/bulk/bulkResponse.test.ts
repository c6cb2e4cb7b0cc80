import { contract, createClient, readRecipients, recipientResults, sendBatches, type Transport } from '../../../shared';
import { planBatches } from '../../../shared/bulk/batches';

const numbers = ['+233201234560', '+233201234561', '+233201234562'] as const;
const [a, b, c] = numbers;

/** The outcomes of the recipients of one bulk send, for a service that responds with this body. */
async function outcomesOf(body: unknown, count = 3, message = 'Akwaaba'): Promise<string[]> {
	const transport: Transport = {
		send: () => Promise.resolve({ status: 200, headers: {}, body: JSON.stringify(body) }),
		sleep: () => Promise.resolve(),
	};
	const client = createClient({ baseUrl: 'https://service.example', apiKey: 'sk_test_1', transport });
	const { recipients } = readRecipients([{ value: numbers.slice(0, count), source: 0 }], {});
	const batches = planBatches(recipients, { sender_id: 'KOFISHOP', message });
	const send = sendBatches(async ({ input }) => await client.call(contract.sms.sendBulk, input), batches);
	return (await Array.fromAsync(send)).flatMap(recipientResults).map(({ outcome }) => outcome);
}

const ok = { success: true, batch_id: 'b1' };
const yes = 'accepted';
const no = 'rejected';
const open = 'unknown';

describe('a response to a bulk send', () => {
	it.each<[unknown, string[]]>([
		[{ success: true, data: { batch_id: 'b', failed: [b] } }, [yes, no, yes]],
		[{ ...ok, failed: [{ to: b, error: 'opted out' }] }, [yes, no, yes]],
		[{ ...ok, data: { failed_recipients: [{ phone: b }] } }, [yes, no, yes]],
		[{ ...ok, failures: [{ msisdn: b, reason: 'x' }] }, [yes, no, yes]],
		[{ ...ok, rejected: [{ contact: b }] }, [yes, no, yes]],
		[{ ...ok, errors: [{ phoneNumber: b, message: 'x' }] }, [yes, no, yes]],
		[{ ...ok, notSent: [b] }, [yes, no, yes]],
		[{ ...ok, invalid_numbers: `${b},${c}` }, [yes, no, no]],
		[{ ...ok, opted_out: { count: 1, numbers: [b] } }, [yes, no, yes]],
		[{ ...ok, duplicates: [b] }, [yes, 'skipped', yes]],
		[{ ...ok, failed: { [b]: 'blocked' } }, [yes, no, yes]],
		[{ ...ok, failed: { to: b, error: 'blocked' } }, [yes, no, yes]],
	])('accepts no recipient under the name of a failure: %j', async (body, outcomes) => {
		expect(await outcomesOf(body)).toEqual(outcomes);
	});

	it.each<[unknown, string[]]>([
		[{ ...ok, results: { [a]: 'queued', [b]: 'failed', [c]: { status: 'queued' } } }, [yes, no, yes]],
		[{ ...ok, results: { sent: [a, c], failed: [b] } }, [yes, no, yes]],
		[{ ...ok, results: { sent: [{ to: a }, { to: c }], failed: [{ to: b }] } }, [yes, no, yes]],
		[{ ...ok, data: { results: { [b]: { success: false } } } }, [yes, no, yes]],
		[
			{
				...ok,
				report: [
					{ contact: a, status: 'sent' },
					{ contact: b, status: 'blocked' },
				],
			},
			[yes, no, yes],
		],
		[{ ...ok, data: [{ phoneNumber: b, status: 'not_sent' }] }, [yes, open, yes]],
		[{ ...ok, results: [{ mobile_number: b, status: 'REJECTED' }] }, [yes, no, yes]],
		[{ ...ok, results: [{ destination: b, success: 0 }] }, [yes, no, yes]],
		[{ ...ok, results: [{ recipient: { phone: b }, state: 'failed' }] }, [yes, no, yes]],
		[{ ...ok, results: [{ to: b, status: { groupName: 'REJECTED' } }] }, [yes, no, yes]],
		[{ ...ok, results: [{ to: b, status: 'queued', error: 'No route' }] }, [yes, open, yes]],
		[{ ...ok, results: [{ to: b, message_id: 'm', status: 'on hold' }] }, [yes, open, yes]],
		[{ ...ok, results: [{ to: b, message_id: 'm', message: 'Could not be delivered' }] }, [yes, yes, yes]],
		[{ ...ok, on_hold: [b], held: { [c]: 'queued' } }, [yes, open, open]],
		[{ ...ok, results: [{ to: b, status: 'queued' }], failed: [b] }, [yes, open, yes]],
	])('reads rows, maps and lists: %j', async (body, outcomes) => {
		expect(await outcomesOf(body)).toEqual(outcomes);
	});

	it.each<[unknown, string[]]>([
		[{ ...ok, results: [{ to: a, status: 'queued' }, null, { to: b, status: 'failed' }] }, [yes, no, yes]],
		[{ ...ok, results: [{ to: {}, status: 'queued' }, { to: b, status: 'failed' }, 'x'] }, [yes, no, yes]],
		[{ ...ok, results: [{ status: 'failed' }, { to: b, status: 'queued' }] }, [open, yes, open]],
		[
			{
				...ok,
				results: [
					{ to: 'Ama', status: 'failed' },
					{ to: b, status: 'queued' },
				],
			},
			[open, yes, open],
		],
	])('keeps all rows if one cannot be read: %j', async (body, outcomes) => {
		expect(await outcomesOf(body)).toEqual(outcomes);
	});

	it.each<[unknown, string[]]>([
		[{ accepted: 0, rejected: 1 }, [open]],
		[{ queued: 0, skipped: 1 }, [open]],
		[{ success: true, data: { accepted: 0, rejected: 1 } }, [open]],
		[{ ...ok, accepted: 0 }, [open]],
		[{ ...ok, failed_count: 1 }, [open]],
	])('accepts no single recipient if the counts report a failure: %j', async (body, outcomes) => {
		expect(await outcomesOf(body, 1)).toEqual(outcomes);
	});

	it.each<[unknown, string[]]>([
		[{ ...ok, accepted: 0, rejected: 3 }, [open, open, open]],
		[{ ...ok, data: { total: 3, summary: { failed: 3 } } }, [open, open, open]],
		[{ ...ok, data: { failed: 1 } }, [open, open, open]],
		[{ ...ok, queued: 2 }, [open, open, open]],
		[{ ...ok, accepted: 2, queued: 2 }, [open, open, open]],
		[{ ...ok, results: [{ to: a, status: 'queued' }], rejected: 2 }, [yes, open, open]],
		[{ ...ok, results: [{ to: a, status: 'queued' }], rejected: 1 }, [yes, open, open]],
		[{ ...ok, failed: 1, results: [{ to: b, status: 'failed' }] }, [yes, no, yes]],
		[{ ...ok, failed: ['Ama'] }, [open, open, open]],
		[{ ...ok, failed: ['+233555555555'] }, [open, open, open]],
		[{ ...ok, partial_failure: true }, [open, open, open]],
		[{ ...ok, message: '2 queued, 1 rejected', rejected: [b] }, [yes, no, yes]],
		[{ ...ok, accepted: [a, b] }, [yes, yes, open]],
		[{ failed: [b] }, [open, open, open]],
		[{ ...ok, errors: ['The gateway lost one'] }, [open, open, open]],
	])('accepts no recipient that may be missing: %j', async (body, outcomes) => {
		expect(await outcomesOf(body)).toEqual(outcomes);
	});

	it.each([
		{ ...ok },
		{ ...ok, failed: [], rejected: 0, errors: [], error: null, skipped: 0, message: 'No errors' },
		{ ...ok, total: 3, queued: 3, failed: 0 },
		{ batch_id: 'b', status: 'queued', sent: 0, delivered: 0, pending: 3 },
		{ batch_id: 'b', total: 3, sent: 1, pending: 2, processing_time: 12 },
		{ ...ok, to: [...numbers], recipients: [...numbers] },
		{ ...ok, messages: numbers.map((to, id) => ({ to, id, sent_at: '2026-11-20 12:00:00', failed_at: null })) },
		{ success: true, queued: 3 },
		{ status: 'scheduled' },
		{ ...ok, message: 'Akwaaba, 1 order failed', links: [{ href: 'https://x.example/failed' }] },
	])('accepts all recipients if nothing in the response contradicts it: %j', async (body) => {
		expect(await outcomesOf(body, 3, 'Akwaaba, 1 order failed')).toEqual([yes, yes, yes]);
	});

	it.each([{}, { message: 'Hello' }, { to: [...numbers] }, { recipients: [...numbers] }, { total: 3 }])(
		'accepts no recipient if the response does not mention the result: %j',
		async (body) => {
			expect(await outcomesOf(body)).toEqual([open, open, open]);
		},
	);

	it('reads 100,000 rows, 100,000 counts or 10,000 levels at once', async () => {
		const rows = Array.from({ length: 100_000 }, (_, row) => ({ to: `+23320${row}`, status: 'failed' }));
		expect(await outcomesOf({ ...ok, results: rows })).not.toContain(yes);
		const deep: unknown = JSON.parse(`${'{"failed":'.repeat(10_000)}["${b}"]${'}'.repeat(10_000)}`);
		expect(await outcomesOf({ ...ok, deep })).not.toContain(yes);
	}, 10_000);
});
