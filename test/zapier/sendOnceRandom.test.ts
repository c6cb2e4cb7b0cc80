import { z } from 'zod/v4';
import { fc, runCount } from '../support/random';
import { useSandbox } from '../support/useSandbox';
import { cacheServer, type CacheServer } from '../support/zapier/cacheServer';
import { driveApp, methods, type Ending } from '../support/zapier/zapierTestApp';

/**
 * Runs that share keys across recipients, actions and contents. `RUNS=2000` plays more of them.
 */
const RUNS = runCount(90);

const NUMBERS = ['+233201234501', '+233201234502', '+233201234503'];
const ADDRESSES = ['ama@example.com', 'kofi@example.com', 'esi@example.com'];
const TEXTS = ['Order confirmed', 'Order shipped'];
const SINGLE = ['sendSms', 'sendEmail', 'sendWhatsappMessage', 'makeVoiceCall', 'sendVerificationCode'] as const;

const step = fc.record({
	action: fc.constantFrom(...SINGLE, 'sendBulkSms' as const, 'sendBulkSms' as const),
	key: fc.constantFrom('1001', '1001-shipped', undefined),
	who: fc.uniqueArray(fc.nat(2), { minLength: 1, maxLength: 3 }),
	text: fc.nat(TEXTS.length - 1),
	// A fault that rejects, or one that loses the response.
	fault: fc.constantFrom(undefined, undefined, undefined, undefined, 'answer', 'drop_after', 'drop_before'),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

const ENDPOINTS = {
	sendSms: 'sms.send',
	sendEmail: 'email.send',
	sendWhatsappMessage: 'whatsapp.send',
	makeVoiceCall: 'voice.send',
	sendVerificationCode: 'verification.start',
	sendBulkSms: 'sms.sendBulk',
} as const;

const { sandbox, control } = useSandbox();
let cache: CacheServer;
beforeEach(async () => {
	cache = await cacheServer();
});
afterEach(() => cache[Symbol.asyncDispose]());

function recipientsOf({ action, who }: Step): string[] {
	const all = who.map((index) => (action === 'sendEmail' ? ADDRESSES : NUMBERS)[index] ?? '');
	return action === 'sendBulkSms' ? all : all.slice(0, 1);
}

function inputsOf(one: Step): Record<string, unknown> {
	const recipients = recipientsOf(one);
	return {
		sender_id: 'KOFISHOP',
		to: one.action === 'sendBulkSms' ? recipients : recipients[0],
		phone: recipients[0],
		subject: 'Order',
		message: TEXTS[one.text],
		recipients_from: 'list',
		skip_rejected_numbers: false,
		send_once_key: one.key ?? '',
	};
}

/** Equal for steps that send the same message to the same recipients. */
function meaningOf(one: Step): string {
	const text = one.action === 'sendVerificationCode' ? '' : TEXTS[one.text];
	return JSON.stringify([one.action, recipientsOf(one).sort(), text]);
}

const output = z.looseObject({ already_sent: z.boolean(), to: z.string().nullish(), outcome: z.string().nullish() });

/** IDs in an output, each of which belongs to one recipient. */
function idsIn({ results }: Ending): string[] {
	return [...JSON.stringify(results ?? '').matchAll(/"(?:message_id|verification_id)":"?([^",}]+)/g)].flatMap(
		([, id = 'null']) => (id === 'null' ? [] : id),
	);
}

it('sends each message under a key once, drops none, and shows no fields of another recipient', async () => {
	const app = driveApp({ base_url: sandbox.baseUrl, api_key: sandbox.apiKey }, { rpc_base: cache.rpcBase });
	let runs = 0;
	await fc.assert(
		fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 8 }), async (steps) => {
			await control.reset();
			cache.entries.clear();
			const first = new Map<string, { readonly meaning: string; readonly results: unknown }>();
			const owners = new Map<string, string>();
			for (const one of steps) {
				runs++;
				const before = (await control.messages()).length;
				if (one.fault) {
					await control.fault({
						endpoint: ENDPOINTS[one.action],
						kind: one.fault,
						...(one.fault === 'answer' && { status: 422 }),
					});
				}
				const ending = await app.attempt(methods[one.action], inputsOf(one));
				await control.ask('DELETE', 'faults');
				const after = await control.messages();
				const added = after.slice(0, after.length - before);
				const recipients = recipientsOf(one);
				const name = `${one.action} ${one.key}`;
				const earlier = one.key === undefined ? undefined : first.get(name);
				if (ending.failure) {
					// Only a lost response may have sent.
					if (one.fault !== 'drop_after') expect(added).toEqual([]);
					if (earlier && ending.failure.name === 'HaltedError' && earlier.meaning !== meaningOf(one)) {
						expect(ending.failure.message).toContain(one.key);
						expect(ending.failure.message).toContain(recipients[0]);
					}
				} else {
					const { already_sent, to } = output.parse(ending.results);
					if (to) expect(recipients).toContain(to);
					for (const id of idsIn(ending)) {
						const owner = owners.get(id) ?? meaningOf(one);
						expect(owner).toBe(meaningOf(one));
						owners.set(id, owner);
					}
					if (already_sent) {
						expect(earlier).toMatchObject({ meaning: meaningOf(one) });
						expect(ending.results).toEqual({ ...Object(earlier?.results), already_sent: true });
						expect(added).toEqual([]);
					} else {
						expect(earlier).toBeUndefined();
						const lost = output.parse(ending.results).outcome === 'unknown';
						if (!lost) expect(added.map((message) => message.to).sort()).toEqual([...recipients].sort());
						if (one.key !== undefined) first.set(name, { meaning: meaningOf(one), results: ending.results });
					}
				}
			}
		}),
		{ numRuns: RUNS },
	);
	if (process.env.RUNS) console.log(`${runs} steps`);
	expect(runs).toBeGreaterThanOrEqual(RUNS);
});
