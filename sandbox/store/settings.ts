import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod/v4';
import { endpoints } from '../../shared/contract';
import type { Endpoint } from '../../shared/contract/endpoint';
import { cached, transaction } from '../performance';
import type { Changes } from './changes';

const httpUrl = z
	.string()
	.refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''), 'is not an http or https URL');

function oneOf<const Words extends readonly [string, ...string[]]>(words: Words) {
	return z.enum(words, `is not one of ${words.join(', ')}`);
}

const yesNo = z.boolean('is neither true nor false');

/** Whether the account has a feature that must be set up (docs/api.md#channels), e.g. `email_set_up`. */
export type SetUpSetting = `${string}_set_up`;

/** The setting for the feature that an endpoint needs, named after its resource. */
export function setUpSetting({ id }: Pick<Endpoint, 'id'>): SetUpSetting {
	return `${id.replace(/\..*/, '')}_set_up`;
}

/** A feature that the account may have or not, for display. */
export interface Feature {
	readonly setting: SetUpSetting;
	readonly name: string;
}

/** Every feature that must be set up: those of the contract, and the chatbot that replies to WhatsApp messages. */
export const features: readonly Feature[] = [
	...endpoints.flatMap((endpoint) =>
		endpoint.setUp ? [{ setting: setUpSetting(endpoint), name: endpoint.setUp.name }] : [],
	),
	{ setting: 'chatbot_set_up', name: 'Chatbot' },
];

/** Settings that can change while the sandbox runs. */
export const settingsSchema = z.strictObject({
	/** URL that receives phone messages; null = the sandbox's own inbound webhook. */
	inbound_url: httpUrl.nullable(),
	/** Additional URLs that receive phone messages. */
	inbound_urls: z.array(httpUrl, 'is not a list of URLs').max(10, 'has more than 10 URLs'),
	/** Format of phone messages. */
	inbound_format: z.enum(['json', 'form'], 'is neither json nor form'),
	/** Whether phone messages also go directly to the service's inbox if `inbound_url` is another URL. */
	inbound_to_service: yesNo,
	/** URL that receives WhatsApp messages of the phones; null = the sandbox's own WhatsApp webhook. */
	whatsapp_inbound_url: httpUrl.nullable(),
	/** API requests per second of each key, also the maximum burst after a pause. */
	requests_per_second: z
		.number('is not a number')
		.positive('is not above zero')
		.max(1_000_000, 'is above 1000000')
		.describe('Requests per second'),
	/** URL that receives receipts and low-balance alerts; null = none. */
	callback_url: httpUrl.nullable(),
	callback_format: z.enum(['json', 'form'], 'is neither json nor form'),
	/** Layout of the fields of receipts and alerts. */
	callback_shape: oneOf(['flat', 'data', 'message', 'pascal', 'whole_message']),
	/** Delay before the first delivery, in milliseconds. */
	callback_delay: z.int('is not a whole number').min(0, 'is below 0').max(3_600_000, 'is more than an hour'),
	/** How often each receipt or alert is delivered. */
	callback_copies: z.int('is not a whole number').min(1, 'is below 1').max(10, 'is above 10'),
	/** Whether the receipt for `sent` arrives after the final one. */
	callback_reordered: yesNo,
	/** Balance in currency units below which an alert is sent; null = never. */
	low_balance_threshold: z
		.number('is not a number')
		.min(0, 'is below 0')
		.max(1_000_000, 'is above 1000000')
		.multipleOf(0.0001, 'has more than 4 decimals')
		.nullable(),
	/** Whether other machines may receive webhooks. */
	allow_outside_urls: yesNo,
	...Object.fromEntries(features.map(({ setting }) => [setting, yesNo])),
	/** Opted-out numbers in a bulk send: `refuse` rejects the whole send, `skip` skips these numbers. */
	bulk_opt_outs: oneOf(['refuse', 'skip']),
	/** Response shapes that the API does not document. */
	error_shape: oneOf(['flat', 'nested', 'list', 'fields', 'text']),
	list_shape: oneOf(['data', 'bare', 'named', 'paged']),
	record_shape: oneOf(['flat', 'data', 'named']),
	number_shape: oneOf(['number', 'text']),
	/** Contacts and sender IDs in one page of a list; 0 = all of them. */
	page_size: z.int('is not a whole number').min(0, 'is below 0').max(1000, 'is above 1000'),
	/** How a rejected call (404, 422) is reported: by its HTTP status, or in the body of a 200. */
	rejection_shape: oneOf(['status', 'success_false', 'wrapped', 'row', 'text']),
	/** How the check of a code reports its result. With `refusal` and `success`, a wrong code is a 422. */
	verification_shape: oneOf(['answer', 'refusal', 'flag', 'list', 'words', 'success']),
	/** How a bulk send reports the result of each number. */
	bulk_shape: oneOf(['rows', 'renamed_rows', 'lists', 'groups', 'map', 'counts']),
	contact_shape: oneOf(['plain', 'renamed', 'numbers']),
	sender_id_shape: oneOf(['records', 'numbers', 'names']),
	balance_shape: oneOf(['plain', 'renamed', 'nested', 'text']),
	/** `bare`: without ID and balance. `unsigned`: other types, and amounts without a sign. */
	transaction_shape: oneOf(['full', 'bare', 'unsigned']),
	transaction_order: oneOf(['newest_first', 'oldest_first']),
	/** Statuses in the service's words, or in those of carriers. */
	status_words: oneOf(['plain', 'carrier']),
	/** Whether phone messages have their own ID and status. */
	inbound_status: yesNo,
});

/** Values of the settings. */
export type SettingsValues = z.output<typeof settingsSchema> & Readonly<Record<SetUpSetting, boolean>>;

/** Values in a new sandbox. */
export const defaultSettings: SettingsValues = {
	inbound_url: null,
	inbound_urls: [],
	inbound_format: 'json',
	inbound_to_service: false,
	whatsapp_inbound_url: null,
	requests_per_second: 100,
	callback_url: null,
	callback_format: 'json',
	callback_shape: 'flat',
	callback_delay: 0,
	callback_copies: 1,
	callback_reordered: false,
	low_balance_threshold: 5,
	allow_outside_urls: false,
	...Object.fromEntries(features.map(({ setting }) => [setting, true])),
	bulk_opt_outs: 'refuse',
	error_shape: 'flat',
	list_shape: 'data',
	record_shape: 'flat',
	number_shape: 'number',
	page_size: 0,
	rejection_shape: 'status',
	verification_shape: 'answer',
	bulk_shape: 'rows',
	contact_shape: 'plain',
	sender_id_shape: 'records',
	balance_shape: 'plain',
	transaction_shape: 'full',
	transaction_order: 'newest_first',
	status_words: 'plain',
	inbound_status: false,
};

/** Saved state of a clock, in milliseconds. */
export interface ClockState {
	/** How far it was ahead of the machine's clock. */
	readonly ahead: number;
	/** Time of the machine's clock when the clock was stopped; null if it was running. */
	readonly stoppedAt: number | null;
}

/** The settings, and other values that survive a restart. */
export interface Settings {
	read(): SettingsValues;
	change(values: Partial<SettingsValues>): void;
	/** Saved state of the clock. */
	clock(): ClockState;
	saveClock(state: ClockState): void;
	/** Whether the low-balance alert was sent since the balance was last well above the threshold. */
	lowBalanceAlerted(): boolean;
	saveLowBalanceAlerted(alerted: boolean): void;
}

const CLOCK_AHEAD = 'clock_ahead';
const CLOCK_STOPPED_AT = 'clock_stopped_at';
const LOW_BALANCE_ALERTED = 'low_balance_told';
const clockState = z.object({ ahead: z.number().default(0), stoppedAt: z.number().nullable().default(null) });
const valueRow = z.object({ name: z.string(), value: z.string() });

/** Creates the settings part of the store. */
export function createSettings(database: DatabaseSync, changes: Changes): Settings {
	const all = database.prepare('SELECT * FROM settings');
	const write = database.prepare(
		'INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
	);
	// Every request reads settings.
	const stored = cached(database, () => {
		const rows = z.array(valueRow).parse(all.all());
		return new Map<string, unknown>(rows.map(({ name, value }) => [name, JSON.parse(value)]));
	});
	const values = cached(database, () => {
		const own = [...stored.get()].filter(([name]) => name in defaultSettings);
		return settingsSchema.parse({ ...defaultSettings, ...Object.fromEntries(own) });
	});

	function save(name: string, value: unknown): void {
		write.run(name, JSON.stringify(value));
		stored.drop();
		values.drop();
	}

	return {
		read: () => values.get(),
		change: (changed) => {
			for (const [name, value] of Object.entries(changed)) save(name, value);
			changes.emit('settings');
		},
		clock: () => {
			const kept = stored.get();
			return clockState.parse({ ahead: kept.get(CLOCK_AHEAD), stoppedAt: kept.get(CLOCK_STOPPED_AT) });
		},
		saveClock: ({ ahead, stoppedAt }) =>
			transaction(database, () => {
				save(CLOCK_AHEAD, ahead);
				save(CLOCK_STOPPED_AT, stoppedAt);
			}),
		lowBalanceAlerted: () => stored.get().get(LOW_BALANCE_ALERTED) === true,
		saveLowBalanceAlerted: (alerted) => save(LOW_BALANCE_ALERTED, alerted),
	};
}
