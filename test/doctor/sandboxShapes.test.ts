import { z } from 'zod/v4';
import { startSandbox } from '../../sandbox/server';
import { settingsSchema } from '../../sandbox/store/settings';
import { runDoctor } from '../support/runDoctor';
import { sandboxControl } from '../support/sandboxControl';

const PRICES: Readonly<Record<string, number>> = {
	sms: 0.05,
	bulk: 0.05,
	verification: 0.05,
	lookup: 0.01,
	whatsapp: 0.08,
	email: 0.01,
	voice: 0.2,
};
const EVERY_CHANNEL = Object.keys(PRICES);

/** Channels whose responses a setting changes. The others would take only time. */
const CHANNELS: Readonly<Record<string, readonly string[]>> = {
	record_shape: EVERY_CHANNEL,
	number_shape: EVERY_CHANNEL,
	status_words: EVERY_CHANNEL,
	whatsapp_set_up: EVERY_CHANNEL,
	verification_shape: ['verification'],
	bulk_shape: ['bulk'],
};

function paidOptions(channels: readonly string[]): string[] {
	if (channels.length === 0) return [];
	const prices = channels.map((channel) => `${channel}=${PRICES[channel]}`).join(',');
	return [
		...['--send-to', '+233201234567', '--send-to-email', 'ama@example.com', '--max-spend', '1'],
		...['--channels', channels.join(','), '--prices', prices],
	];
}

/** Channels whose response has a message ID. The sandbox gives one for a code, too. */
const FOLLOWED = ['sms', 'verification', 'whatsapp', 'email', 'voice'];

/** Rows that need one of these channels. */
const NEEDS: ReadonlyArray<readonly [heading: string, channels: readonly string[]]> = [
	['Timestamp names', FOLLOWED],
	['Time zone', FOLLOWED],
	['Message statuses', FOLLOWED],
	['Responses without a message ID', ['sms']],
	['Bulk responses', ['bulk']],
	['Other channels', ['whatsapp', 'email', 'voice']],
	['Verification IDs', ['verification']],
	['Verification states', ['verification']],
	['Lookup cost', ['lookup']],
];

/** Rows that no request of the doctor can try on a sandbox without webhooks. */
const NOT_ATTEMPTED = [
	...['Later versions', 'Channels that are not set up', 'Rate limits', 'Bulk size', 'The from field', 'Top-up states'],
	...['Callback retries and signatures', 'Delivery receipt payloads', 'Low-balance alert payloads'],
	...['Inbound WhatsApp payloads', 'Opt-out keywords', 'Inbound authentication', 'Inbound responses'],
];

/** Values with which every row is ok. */
function alwaysOk(...values: readonly string[]): Readonly<Record<string, Readonly<Record<string, string>>>> {
	return Object.fromEntries(values.map((value) => [value, {}]));
}

/** Rows that are not ok, by setting and value. A rejection in a 200 is unclear on purpose. */
const OTHER: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>> = {
	record_shape: { flat: {}, data: {}, named: {} },
	list_shape: { data: {}, bare: {}, named: {}, paged: {} },
	error_shape: { flat: {}, nested: {}, list: {}, fields: {}, text: {} },
	number_shape: { number: {}, text: {} },
	rejection_shape: {
		status: {},
		success_false: {},
		wrapped: {
			'Channels that are not set up': 'unreadable',
			'Error fields': 'unreadable',
			'Error codes': 'unreadable',
			'Unknown IDs': 'differs',
			'Failures with status 200': 'unreadable',
		},
		row: {
			'Channels that are not set up': 'unreadable',
			'Error codes': 'unreadable',
			'Unknown IDs': 'unreadable',
			'Failures with status 200': 'unreadable',
			'Top-up amounts': 'unreadable',
		},
		text: {
			'Channels that are not set up': 'unreadable',
			'Error fields': 'unreadable',
			'Error codes': 'unreadable',
			'Unknown IDs': 'unreadable',
			'Failures with status 200': 'unreadable',
			'Top-up amounts': 'unreadable',
		},
	},
	verification_shape: alwaysOk('answer', 'flag', 'list', 'words', 'success', 'refusal'),
	bulk_shape: { rows: {}, renamed_rows: {}, lists: {}, groups: {}, map: {}, counts: {} },
	contact_shape: { plain: {}, renamed: {}, numbers: {} },
	sender_id_shape: { records: {}, numbers: {}, names: { 'Sender ID fields': 'differs' } },
	balance_shape: { plain: {}, renamed: {}, nested: {}, text: { 'Balance response': 'differs' } },
	transaction_shape: {
		full: {},
		// Equal adjustments without an ID look the same, so pages and their order cannot be seen.
		bare: {
			'Limit and offset': 'not attempted',
			'Transaction fields': 'differs',
			'Wallet transactions in triggers': 'differs',
		},
		unsigned: { 'Transaction fields': 'differs' },
	},
	transaction_order: { newest_first: {}, oldest_first: {} },
	status_words: { plain: {}, carrier: {} },
	page_size: { 0: {}, 2: {} },
	whatsapp_set_up: { false: { 'Channels that are not set up': 'ok' } },
};

const CASES = Object.entries(OTHER).flatMap(([setting, values]) =>
	Object.entries(values).map(([value, rows]) => ({ setting, value, rows })),
);

function settingOf(value: string): string | number | boolean {
	if (value === 'false') return false;
	return /^\d$/.test(value) ? Number(value) : value;
}

describe('a run against the sandbox', () => {
	it('tries every value of every shape setting', () => {
		const shapes = Object.entries(settingsSchema.shape).flatMap(([name, schema]) =>
			/_(shape|order|words)$/.test(name) && name !== 'callback_shape' && schema instanceof z.ZodEnum
				? [[name, [...schema.options].sort()]]
				: [],
		);
		expect(shapes.length).toBeGreaterThan(10);
		const tried = Object.entries(OTHER).map(([name, values]) => [name, Object.keys(values).sort()]);
		expect(Object.fromEntries(tried)).toMatchObject(Object.fromEntries(shapes));
	});

	it.each(CASES)('has the right rows for $setting $value', async ({ setting, value, rows }) => {
		const sandbox = await startSandbox({ clock: 'stopped' });
		try {
			const { settings, adjustWallet, advanceClock } = sandboxControl(sandbox);
			await adjustWallet(1);
			await adjustWallet(1);
			await settings({ [setting]: settingOf(value) });
			const channels = CHANNELS[setting] ?? [];
			const run = await runDoctor({ ...sandbox, pass: advanceClock }, ...paidOptions(channels));
			const needed = NEEDS.filter(([, any]) => !any.some((channel) => channels.includes(channel)));
			const missing = [...NOT_ATTEMPTED, ...needed.map(([heading]) => heading)];
			const found = [...run.rows].filter(([, { verdict }]) => verdict !== 'ok');
			const expected = { ...Object.fromEntries(missing.map((heading) => [heading, 'not attempted'])), ...rows };
			const notOk = Object.entries(expected).filter(([, verdict]) => verdict !== 'ok');
			expect(Object.fromEntries(found.map(([heading, { verdict }]) => [heading, verdict]))).toEqual(
				Object.fromEntries(notOk),
			);
			expect(run.code).toBe(notOk.some(([, verdict]) => verdict !== 'not attempted') ? 1 : 0);
		} finally {
			await sandbox.stop();
		}
	});
});
