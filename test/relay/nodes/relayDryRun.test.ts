import { fresh, KEYED, smsParameters, useRelayedEngines, type Row } from '../../support/n8n/relayedEngines';

/** Dry runs with a relay as Base URL, compared with the real run of the same items. */
const { rows, charged } = useRelayedEngines();

const [ama, kofi, esi] = ['+233201234561', '+233201234562', '+233201234563'] as const;
const settings = { onError: 'continueRegularOutput' as const };
const PREDICTED: Readonly<Record<string, string>> = { would_send: 'accepted', would_skip: 'skipped' };

/** The parts of the rows that a dry run and a real run have in common. */
const comparable = (all: readonly Row[]) =>
	all.map(({ to, outcome, reason, error }) => ({ to, outcome: PREDICTED[String(outcome)] ?? outcome, reason, error }));

it.each<[string, object]>([
	['send', {}],
	['sendBulk', {}],
	['sendBulk', { recipientsPerRequest: 1 }],
])(
	'predicts for SMS > %s that a key with another message is rejected, as the relay does (%j)',
	async (operation, more) => {
		const key = fresh('key');
		const text = fresh('We are open');
		const other = fresh('We are closed');
		const items = [
			{ to: ama, text, key },
			{ to: kofi, text, key: `${key} kofi` },
			{ to: ama, text: other, key },
			{ to: esi, text: other, key: `${key} esi` },
		];
		const run = async (options: object) =>
			await rows({ parameters: smsParameters({ operation }, { ...KEYED, ...more, ...options }), items, settings });
		const dry = await run({ dryRun: true });
		expect(dry.map(({ outcome }) => outcome)).toEqual(['would_send', 'would_send', 'rejected', 'would_send']);
		expect(dry[2]).toMatchObject({ dry_run: true, details: { code: 'idempotency_key_reused', sent: 'no' } });
		expect(await charged()).toEqual([]);
		expect(comparable(await run({}))).toEqual(comparable(dry));
		expect(await charged()).toHaveLength(3);
	},
);

it('predicts that the same message under one key is sent once', async () => {
	const item = { to: ama, text: fresh('We are open'), key: fresh('key') };
	const run = async (options: object) =>
		await rows({
			parameters: smsParameters({}, { ...KEYED, ...options }),
			items: [{ ...item }, { ...item }],
			settings,
		});
	const dry = await run({ dryRun: true });
	expect(dry.map(({ outcome, reason }) => reason ?? outcome)).toEqual(['would_send', 'already_sent']);
	expect((await run({})).map(({ outcome, reason }) => reason ?? outcome)).toEqual(['accepted', 'already_sent']);
});
