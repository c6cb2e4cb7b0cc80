import { z } from 'zod/v4';
import { endpoints, type Endpoint } from '../../shared';
import { sendingHoursFields } from '../../zapier/fields';
import { allFields, readDefinition, staticFields } from '../support/zapier/definition';
import { endpointSteps } from '../support/zapier/endpointSteps';
import { executeEvent, handler } from '../support/zapier/zapierTestApp';

/** The endpoint that a step calls with its fields. Steps not listed here call several or none. */
const ENDPOINT_OF: Readonly<Record<string, Endpoint>> = Object.fromEntries(
	endpointSteps.map(({ at, endpoint }) => [at, endpoint]),
);

/** Fields with another name in the API. The fields of `OURS` are never sent. */
const WIRE_NAME: Readonly<Record<string, string | undefined>> = {
	'searches.find_message.message_id': 'id',
	'creates.send_bulk_sms.send_at': 'schedule_at',
	// It calls another endpoint then.
	'creates.send_sms.send_at': undefined,
	'creates.create_contact.custom_fields': undefined,
};
const OURS = [
	'default_country',
	'unknown_number_ranges',
	'landlines',
	'send_once_key',
	'key_scope',
	'dry_run',
	'price_per_segment',
	'price_per_call',
	'recipients_from',
	'lines',
	'line_to',
	'line_message',
	'excluded_numbers',
	'skip_rejected_numbers',
	'numbers_per_request',
	'accept_success',
	...sendingHoursFields.map(({ key }) => key),
];

/** All fields of Send Bulk SMS, also those that depend on another one. */
async function bulkFields(recipients_from: string) {
	const event = executeEvent('creates.send_bulk_sms.operation.inputFields', {}, { recipients_from });
	const field = z.looseObject({
		key: z.string(),
		helpText: z.string().optional(),
		children: z.array(z.unknown()).optional(),
	});
	return z
		.array(field)
		.min(1)
		.parse((await handler(event)).results);
}

const keys = (record: object) => Object.keys(record);

describe('Zapier app definition', () => {
	it("passes Zapier's schema validation", async () => {
		expect((await handler({ command: 'validate' })).results).toEqual([]);
	});

	// Zapier's schema ignores fields that come from a function.
	it.each(['list', 'line_items'])(
		'has fields that fit the schema if the recipients come from %s',
		async (recipients_from) => {
			for (const one of await bulkFields(recipients_from)) {
				expect([one.key, one.children !== undefined && one.helpText !== undefined]).toEqual([one.key, false]);
			}
		},
	);

	it('names no other product and needs no jargon in its texts', async () => {
		const shown = JSON.stringify(await readDefinition());
		expect(shown).not.toMatch(/n8n/i);
		expect(shown).not.toContain('Needs a relay');
	});

	it('shows a message that was sent now in the samples of sends', async () => {
		const { creates } = await readDefinition();
		for (const key of ['send_sms', 'send_bulk_sms']) {
			const sample = Object.entries(creates[key]?.operation.sample ?? {});
			const moved = sample.filter(([name]) => name === 'send_at' || name === 'schedule_reason');
			expect([key, moved.filter(([, value]) => value !== null)]).toEqual([key, []]);
		}
	});

	it("keeps the keys that users' Zaps store", async () => {
		const { version, authentication, steps, searchOrCreates } = await readDefinition();
		expect(version).toBe('0.1.0');
		expect(authentication.fields.map(({ key }) => key)).toEqual([
			'base_url',
			'api_key',
			'account_name',
			'header',
			'base_url_is_relay',
			'relay_url',
			'relay_token',
		]);
		expect(keys(searchOrCreates)).toEqual(['find_contact']);
		const keysOf = async (step: (typeof steps)[number]) => (await allFields(step)).map(({ key }) => key);
		const fields = steps.map(async (step) => [step.at, await keysOf(step)] as const);
		expect(Object.fromEntries(await Promise.all(fields))).toMatchSnapshot();
	});

	it('has a step for every endpoint except lists', async () => {
		const used = new Set(Object.values(ENDPOINT_OF).map(({ id }) => id));
		const { steps } = await readDefinition();
		expect(steps.map(({ at }) => at)).toEqual(expect.arrayContaining(keys(ENDPOINT_OF)));
		const without = endpoints.map(({ id }) => id).filter((id) => !used.has(id));
		// message.get covers sms.get. The others serve searches, triggers and dropdowns.
		const elsewhere = ['sms.get', 'wallet.getBalance', 'wallet.listTransactions', 'senderId.list', 'contact.list'];
		expect(without.sort()).toEqual(elsewhere.sort());
	});

	it.each(keys(ENDPOINT_OF))('%s has a field for every input of its endpoint', async (at) => {
		const { steps } = await readDefinition();
		const step = steps.find((found) => found.at === at);
		const requests = (step ? await allFields(step) : []).filter(({ key }) => !OURS.includes(key));
		const wire = requests.flatMap(({ key }) => (`${at}.${key}` in WIRE_NAME ? (WIRE_NAME[`${at}.${key}`] ?? []) : key));
		expect(wire.sort()).toEqual(keys(ENDPOINT_OF[at]?.input.shape ?? {}).sort());
	});

	it('throttles charged steps per connection, with a separate throttle for one-time codes', async () => {
		const { steps } = await readDefinition();
		const charging = steps.filter(({ at }) => ENDPOINT_OF[at]?.charges);
		expect(charging).toHaveLength(endpoints.filter(({ charges }) => charges).length);
		for (const { at, operation } of charging) {
			const key = at === 'creates.send_verification_code' ? 'codes' : 'sends';
			expect([at, operation.throttle]).toEqual([at, { window: 10, limit: 100, key, scope: ['auth'] }]);
		}
	});

	it('offers a Send Once Key on every step that sends', async () => {
		const { steps } = await readDefinition();
		const offering = steps.filter((step) => staticFields(step).some(({ key }) => key === 'send_once_key'));
		const sending = steps.filter(({ at, kind }) => kind === 'creates' && ENDPOINT_OF[at]?.charges);
		expect(offering.map(({ at }) => at)).toEqual(sending.map(({ at }) => at));
	});
});
