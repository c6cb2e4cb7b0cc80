import { startSandbox } from '../../sandbox/server';
import { allFields, readDefinition, staticFields, type Field, type Step } from '../support/zapier/definition';
import { driveApp, methods, type Account } from '../support/zapier/zapierTestApp';

/**
 * The checks of Zapier's server before an app may be public, as far as they can run here. Each has its number there. Not
 * included: checks that need an account (A, L, M, S) or live runs (T), and D002, because the page that creates keys is
 * not known (zapier/README.md).
 */
let app: Awaited<ReturnType<typeof readDefinition>>;
let fields: ReadonlyArray<{ readonly step: Step; readonly field: Field }>;
beforeAll(async () => {
	app = await readDefinition();
	const found = app.steps.map(async (step) => (await allFields(step)).map((field) => ({ step, field })));
	fields = (await Promise.all(found)).flat();
});

const visible = () => app.steps.filter(({ display }) => !display.hidden);
const texts = () => [
	...app.authentication.fields.map(({ key, helpText = '' }) => [`authentication.${key}`, helpText]),
	...app.steps.map(({ at, display }) => [at, display.description]),
	...fields.map(({ step, field }) => [`${step.at}.${field.key}`, field.helpText ?? '']),
];
/** Paths of the items that break a rule; empty if none do. */
const breaking = (found: ReadonlyArray<readonly [at: string, fine: boolean]>) =>
	found.flatMap(([at, fine]) => (fine ? [] : [at]));
const ofFields = (rule: (field: Field) => boolean) =>
	breaking(fields.map(({ step, field }) => [`${step.at}.${field.key}`, rule(field)]));

const SMALL_WORDS = new Set([
	'a',
	'an',
	'and',
	'as',
	'by',
	'for',
	'from',
	'in',
	'it',
	'of',
	'on',
	'or',
	'per',
	'the',
	'to',
]);
const titleCase = (label: string) =>
	label.replace(/[a-z]\w*/g, (word, at: number) =>
		SMALL_WORDS.has(word) || /[\w']/.test(label.charAt(at - 1)) ? word : word.charAt(0).toUpperCase() + word.slice(1),
	);

const ISO_DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
	string: (value) => typeof value === 'string',
	number: (value) => typeof value === 'number',
	integer: (value) => Number.isInteger(value),
	boolean: (value) => typeof value === 'boolean',
	datetime: (value) => typeof value === 'string' && ISO_DATE.test(value),
};

const polls = ({ type = 'polling' }: Readonly<Record<string, unknown>>) => type === 'polling';
const subscribes = (operation: Readonly<Record<string, unknown>>) =>
	['performSubscribe', 'performUnsubscribe', 'performList'].every((key) => operation[key] !== undefined);

describe("Zapier's checks for public apps", () => {
	it('D001: no field is named like a credential', () => {
		expect(ofFields(({ key }) => !/api_?key|token|passw|secret|user_?name/i.test(key))).toEqual([]);
	});

	it('D003: connection labels tell two accounts of one service apart, without secrets', async () => {
		const sandbox = await startSandbox({ clock: 'stopped' });
		try {
			const labelOf = async (account: Account) => {
				const authData = { base_url: sandbox.baseUrl, api_key: sandbox.apiKey, ...account };
				const tested = Object(await driveApp(authData).run(methods.test)) as Record<string, unknown>;
				const known: Record<string, unknown> = { ...tested, ...authData };
				return app.authentication.connectionLabel.replace(/\{\{(\w+)\}\}/g, (_, key: string) => String(known[key]));
			};
			const labels = [await labelOf({ account_name: 'Kofi Shop' }), await labelOf({ account_name: 'Ama Shop' })];
			expect(new Set(labels).size).toBe(2);
			for (const label of labels)
				expect(label).not.toMatch(/undefined|sk_|api_?key|token|passw|Messaging Service|success/i);
		} finally {
			await sandbox.stop();
		}
	});

	it('D004: ID fields have a dropdown, except message and verification IDs, which the service does not list', () => {
		const typed = ofFields(({ key, dynamic, choices }) => !/(^|_)id$/.test(key) || dynamic !== undefined || !!choices);
		expect(typed).toEqual(['creates.check_verification_code.verification_id', 'searches.find_message.message_id']);
	});

	it('D005, D013: every dropdown has an existing trigger, every search an existing search', () => {
		const lists = fields.flatMap(({ field }) => field.dynamic ?? []);
		const searches = fields.flatMap(({ field }) => field.search ?? []);
		expect([...new Set(lists)].sort()).toEqual(['contacts.id.name', 'sender_ids.id.name']);
		expect([...new Set(searches)]).toEqual(['find_contact.phone']);
		for (const list of lists) {
			const [key = '', ...used] = list.split('.');
			expect(Object.keys(app.triggers[key]?.operation.sample ?? {})).toEqual(used);
		}
		expect(app.searches.find_contact?.operation.sample).toHaveProperty('phone');
	});

	it('D007, D008, D025: links are https, and other addresses are in backticks', () => {
		const found = texts().map(([at = '', text = '']) => {
			const outside = text.replace(/`[^`]*`/g, '').replace(/\[[^\]]+\]\(https:\/\/[^)\s]+\)/g, '');
			return [at, !/https?:|javascript:|\]\(/i.test(outside)] as const;
		});
		expect(breaking(found)).toEqual([]);
	});

	it('D009, D022: searches and creates have static fields', () => {
		const steps = app.steps.filter(({ kind }) => kind !== 'triggers');
		expect(breaking(steps.map((step) => [step.at, staticFields(step).length > 0]))).toEqual([]);
	});

	it('D010: samples of triggers have an ID', () => {
		const triggers = visible().filter(({ kind }) => kind === 'triggers');
		expect(breaking(triggers.map(({ at, operation }) => [at, TYPES.string?.(operation.sample.id) === true]))).toEqual(
			[],
		);
	});

	it('D011: help texts are sentences that say more than the label', () => {
		expect(ofFields(({ helpText = '', children }) => !!children || /^[A-Z].{20,}[^.]\.$/s.test(helpText))).toEqual([]);
	});

	it('D012, D024: every step has a sample with exactly its outputs and their types', () => {
		for (const { at, operation } of visible()) {
			const outputs = (operation.outputFields ?? []).filter(({ key }) => !key.includes('[]'));
			const nested = (operation.outputFields ?? []).flatMap(({ key }) => key.match(/^(\w+)\[\]/)?.[1] ?? []);
			const named = [...outputs.map(({ key }) => key), ...new Set(nested)].sort();
			expect([at, Object.keys(operation.sample).sort()]).toEqual([at, named]);
			for (const { key, type, list } of outputs) {
				const value = operation.sample[key];
				const fits = list ? Array.isArray(value) : value === null || TYPES[type]?.(value);
				expect([at, key, fits]).toEqual([at, key, true]);
			}
		}
	});

	it('D014: only text fields are filled by a search', () => {
		expect(ofFields(({ search, type, list, dict }) => !search || (type === 'string' && !list && !dict))).toEqual([]);
	});

	it('D015: find-or-create names existing steps, under the key of the search', () => {
		for (const [key, { search, create }] of Object.entries(app.searchOrCreates)) {
			expect([key, key in app.searches, create in app.creates]).toEqual([search, true, true]);
		}
	});

	it('D006, D016, D017: a trigger polls, or subscribes, unsubscribes and lists samples', () => {
		const triggers = app.steps.filter(({ kind }) => kind === 'triggers');
		expect(triggers.length).toBeGreaterThan(0);
		expect(breaking(triggers.map(({ at, operation }) => [at, polls(operation) || subscribes(operation)]))).toEqual([]);
	});

	it('D006, D017: every instant trigger subscribes, unsubscribes and lists samples', () => {
		const instant = app.steps.filter(({ operation }) => operation.type === 'hook');
		expect(instant.map(({ at, operation }) => [at, subscribes(operation)])).toEqual([
			['triggers.new_inbound_sms', true],
			['triggers.message_status_updated', true],
			['triggers.new_inbound_whatsapp_message', true],
		]);
	});

	it.each<[string, Record<string, unknown>, boolean]>([
		['a polling trigger', { type: 'polling' }, true],
		['a trigger without a type, which polls', {}, true],
		['a REST hook', { type: 'hook', performSubscribe: '$f', performUnsubscribe: '$f', performList: '$f' }, true],
		['a hook whose URL the user pastes', { type: 'hook', perform: '$f' }, false],
		['a hook without unsubscribe', { type: 'hook', performSubscribe: '$f', performList: '$f' }, false],
		['a hook without a list', { type: 'hook', performSubscribe: '$f', performUnsubscribe: '$f' }, false],
	])('D006, D017: the check classifies %s', (_, operation, fine) => {
		expect(polls(operation) || subscribes(operation)).toBe(fine);
	});

	it('D018: labels are in title case', () => {
		const labels = [
			...app.authentication.fields.map(({ label }) => label),
			...app.steps.map(({ display }) => display.label),
			...Object.values(app.searchOrCreates).map(({ display }) => display.label),
			...fields.map(({ field }) => field.label),
			...app.steps.flatMap(({ operation }) => (operation.outputFields ?? []).map(({ label }) => label)),
		];
		expect(labels.filter((label) => label !== titleCase(label))).toEqual([]);
	});

	it('D021: trigger descriptions start with "Triggers when", the others with a verb', () => {
		const opening = { triggers: /^Triggers when /, creates: /^[A-Z][a-z]+s /, searches: /^Finds / };
		const found = app.steps.map(({ at, kind, display }) => {
			const { description } = display;
			return [at, opening[kind].test(description) && description.endsWith('.') && description.length > 20] as const;
		});
		expect(breaking(found)).toEqual([]);
	});

	it('D023: dates in samples are ISO 8601 with a zone', () => {
		const dates = visible().flatMap(({ at, operation }) =>
			Object.entries(operation.sample)
				.filter(([key, value]) => value !== null && /_at$|date|time/.test(key))
				.map(([key, value]) => [`${at}.${key}`, TYPES.datetime?.(value) === true] as const),
		);
		expect(dates.length).toBeGreaterThan(2);
		expect(breaking(dates)).toEqual([]);
	});

	it('D027, D028: pins the tested core version and does not clean input data', () => {
		expect([app.platformVersion, app.flags]).toEqual(['19.1.0', { cleanInputData: false }]);
	});

	it('style: required fields come first, nouns are one word, keys are snake_case', () => {
		for (const step of visible()) {
			const required = staticFields(step)
				.filter(({ group }) => group === undefined)
				.map((field) => field.required === true);
			expect([step.at, required]).toEqual([step.at, required.toSorted((a, b) => Number(b) - Number(a))]);
			expect([step.at, step.noun]).toEqual([step.at, expect.stringMatching(/^[A-Z][\w-]+$/)]);
			expect(step.key).toMatch(/^[a-z]+(_[a-z]+)*$/);
			expect(step.display.description).not.toMatch(/Messaging Service/);
		}
	});

	it('declares every field group in use', () => {
		for (const step of app.steps) {
			const groups = (step.operation.inputFieldGroups ?? []).map(({ key }) => key);
			const used = new Set(staticFields(step).flatMap(({ group }) => group ?? []));
			expect([step.at, groups.sort()]).toEqual([step.at, [...used].sort()]);
		}
	});
});
