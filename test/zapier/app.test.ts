import { z } from 'zod/v4';
import { contract, type Endpoint } from '../../shared';
import { handler } from './driveApp';

const field = z.looseObject({ key: z.string(), label: z.string(), helpText: z.string() });
const step = z.looseObject({
	display: z.looseObject({ label: z.string(), description: z.string() }),
	operation: z.looseObject({
		inputFields: z.array(field),
		sample: z.record(z.string(), z.unknown()),
		outputFields: z.array(z.looseObject({ key: z.string(), type: z.string() })),
	}),
});
const definitionSchema = z.looseObject({
	version: z.string(),
	platformVersion: z.string(),
	authentication: z.looseObject({ fields: z.array(field) }),
	creates: z.looseObject({ send_sms: step }),
	searches: z.looseObject({ find_message: step }),
	triggers: z.looseObject({ sender_ids: z.looseObject({}) }),
	flags: z.looseObject({}),
});

const SMALL_WORDS = new Set(['a', 'as', 'by', 'for', 'in', 'of', 'or', 'the', 'to']);
const titleCase = (label: string) =>
	label.replace(/[a-z]\w*/g, (word, at: number) =>
		SMALL_WORDS.has(word) || /\w/.test(label.charAt(at - 1)) ? word : word.charAt(0).toUpperCase() + word.slice(1),
	);

/** The app as Zapier's servers get it. */
const define = async () => definitionSchema.parse((await handler({ command: 'definition' })).results);
const steps = async () => {
	const { creates, searches } = await define();
	return [creates.send_sms, searches.find_message];
};
const keys = (record: object) => Object.keys(record);
const keysOf = (fields: ReadonlyArray<{ key: string }>) => fields.map(({ key }) => key);

describe('the app', () => {
	it("has nothing that Zapier's schema finds wrong", async () => {
		expect((await handler({ command: 'validate' })).results).toEqual([]);
	});

	it('names the versions of its package and of the core, and takes inputs as they are', async () => {
		const { version, platformVersion, flags } = await define();
		expect([version, platformVersion, flags]).toEqual(['0.1.0', '19.1.0', { cleanInputData: false }]);
	});

	it('keeps the keys that Zaps store', async () => {
		const { authentication, creates, searches, triggers } = await define();
		expect([creates, searches, triggers].map(keys)).toEqual([['send_sms'], ['find_message'], ['sender_ids']]);
		expect(keysOf(authentication.fields)).toEqual(['base_url', 'api_key', 'header']);
		expect(keysOf(creates.send_sms.operation.inputFields)).toEqual(['to', 'sender_id', 'message', 'priority']);
		expect(keysOf(searches.find_message.operation.inputFields)).toEqual(['message_id']);
	});

	it('asks for every key of the wire', async () => {
		const [sendSms, findMessage] = (await steps()).map(({ operation }) => keysOf(operation.inputFields).sort());
		const wire = ({ input }: Endpoint) => keys(input.shape).sort();
		expect(sendSms).toEqual(wire(contract.sms.send));
		expect(findMessage?.map((key) => key.replace('message_id', 'id'))).toEqual(wire(contract.message.get));
	});

	it('teaches in every field, under a label in title case', async () => {
		const { authentication } = await define();
		const fields = [...authentication.fields, ...(await steps()).flatMap(({ operation }) => operation.inputFields)];
		for (const { label, helpText } of fields) {
			expect(label).toBe(titleCase(label));
			expect(helpText).toMatch(/^[A-Z].{20,}\.$/);
		}
	});

	it('describes its steps as Zapier wants them described', async () => {
		for (const { display } of await steps()) {
			expect(display.label).toBe(titleCase(display.label));
			expect(display.description).toMatch(/^(Sends|Finds) .*\.$/);
		}
	});

	it('has samples of all outputs and of nothing else', async () => {
		for (const { operation } of await steps()) {
			const types = Object.entries(operation.sample).map(([key, value]) => ({ key, type: typeof value }));
			expect(operation.outputFields.map(({ key, type }) => ({ key, type })).sort(byKey)).toEqual(types.sort(byKey));
		}
	});
});

function byKey(a: { key: string }, b: { key: string }): number {
	return a.key.localeCompare(b.key);
}
