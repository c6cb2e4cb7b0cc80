import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod/v4';

const httpUrl = z
	.string()
	.refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''), 'is not an http or https URL');

/** What may be set while the sandbox runs. */
export const settingsSchema = z.strictObject({
	/** Where the phones' texts are posted; null = the sandbox's own inbound webhook. */
	inbound_url: httpUrl.nullable(),
	/** How they are posted. */
	inbound_format: z.enum(['json', 'form'], 'is neither json nor form'),
	/** How many API requests a second a key may make; also how many it may make at once after a pause. */
	requests_per_second: z
		.number('is not a number')
		.positive('is not above zero')
		.max(1_000_000, 'is above 1000000')
		.describe('Requests a second'),
});

/** The settings' values. */
export type SettingsValues = z.output<typeof settingsSchema>;

/** The values that a new sandbox starts with. */
export const defaultSettings: SettingsValues = {
	inbound_url: null,
	inbound_format: 'json',
	requests_per_second: 100,
};

/** What may be set while the sandbox runs, and how far its clock is ahead. */
export interface Settings {
	read(): SettingsValues;
	change(values: Partial<SettingsValues>): void;
	/** How far the sandbox's clock is ahead of the machine's, in milliseconds. */
	clockAhead(): number;
	saveClockAhead(milliseconds: number): void;
}

const CLOCK_AHEAD = 'clock_ahead';
const valueRow = z.object({ name: z.string(), value: z.string() });

/** Makes the settings' part of a store. */
export function createSettings(database: DatabaseSync): Settings {
	const all = database.prepare('SELECT * FROM settings');
	const write = database.prepare(
		'INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
	);

	function values(): Map<string, unknown> {
		const rows = z.array(valueRow).parse(all.all());
		return new Map(rows.map(({ name, value }) => [name, JSON.parse(value)]));
	}

	return {
		read: () => {
			const stored = values();
			stored.delete(CLOCK_AHEAD);
			return settingsSchema.parse({ ...defaultSettings, ...Object.fromEntries(stored) });
		},
		change: (changed) => {
			for (const [name, value] of Object.entries(changed)) write.run(name, JSON.stringify(value));
		},
		clockAhead: () => z.number().parse(values().get(CLOCK_AHEAD) ?? 0),
		saveClockAhead: (milliseconds) => void write.run(CLOCK_AHEAD, JSON.stringify(milliseconds)),
	};
}
