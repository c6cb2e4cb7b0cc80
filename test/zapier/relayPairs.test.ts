import { z } from 'zod/v4';
import { numbers } from '../support/zapier/bulkStep';
import { useSendingRelay } from '../support/zapier/sendingRelay';
import { driveApp, methods } from '../support/zapier/zapierTestApp';

/** Pairs of each kind. Set ZAPIER_PAIRS for a longer test. */
const PAIRS = z.coerce
	.number()
	.int()
	.positive()
	.parse(process.env.ZAPIER_PAIRS ?? 25);
const PAIR_MS = 5_000;

/** Pairs of Zaps that send at the same instant through a real relay. The sandbox lists the messages that left. */
const used = useSendingRelay();
const { control } = used;

const sample = z.looseObject({ message_id: z.string(), already_sent: z.boolean() });
type Sample = z.output<typeof sample>;

interface Zap {
	readonly to: string;
	readonly send_once_key: string;
}
const run = async (zap: Zap): Promise<Sample> => {
	const inputs = { sender_id: 'KOFISHOP', message: 'Your order is ready.', ...zap };
	return sample.parse(await driveApp(used.account()).run(methods.sendSms, inputs));
};
/** Runs two Zaps at the same instant. Returns their outputs, and the IDs of the messages that the sandbox got. */
async function runPair(pair: readonly [Zap, Zap]): Promise<{ outputs: Sample[]; sent: string[] }> {
	const outputs = await Promise.all(pair.map(run));
	const sent = (await control.messages()).filter(({ to }) => to === pair[0].to);
	return { outputs, sent: sent.map(({ message_id }) => message_id) };
}
const alreadySent = (outputs: readonly Sample[]) => outputs.map(({ already_sent }) => already_sent).sort();

/** Runs the Zaps again after a kill of the relay. No key may be forgotten. */
async function expectReplays(first: ReadonlyMap<Zap, string>): Promise<void> {
	await used.restart('kill');
	const { balance } = await control.wallet();
	for (const [zap, message_id] of first) expect(await run(zap)).toMatchObject({ message_id, already_sent: true });
	expect((await control.wallet()).balance).toBe(balance);
}

beforeEach(async () => await control.adjustWallet(PAIRS));

describe(`${PAIRS} pairs of Zaps at the same instant`, () => {
	it(
		'send one message per pair with the same key',
		async () => {
			const first = new Map<Zap, string>();
			for (const to of numbers(PAIRS)) {
				const zap = { to, send_once_key: `same ${to}` };
				const { outputs, sent } = await runPair([zap, zap]);
				expect(sent).toHaveLength(1);
				expect(outputs.map(({ message_id }) => message_id)).toEqual([...sent, ...sent]);
				expect(alreadySent(outputs)).toEqual([false, true]);
				first.set(zap, sent.join());
			}
			await expectReplays(first);
		},
		60_000 + PAIRS * PAIR_MS,
	);

	it(
		'send two messages per pair with different keys',
		async () => {
			const first = new Map<Zap, string>();
			for (const to of numbers(PAIRS)) {
				const pair = [
					{ to, send_once_key: `one ${to}` },
					{ to, send_once_key: `two ${to}` },
				] as const;
				const { outputs, sent } = await runPair(pair);
				expect(outputs.map(({ message_id }) => message_id).sort()).toEqual(sent.sort());
				expect(new Set(sent).size).toBe(2);
				expect(alreadySent(outputs)).toEqual([false, false]);
				for (const [index, zap] of pair.entries()) first.set(zap, outputs[index]?.message_id ?? '');
			}
			await expectReplays(first);
		},
		60_000 + PAIRS * PAIR_MS,
	);
});
