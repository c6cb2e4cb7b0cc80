import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod/v4';
import { asText } from '../../shared';
import { allFields, readDefinition, type Step } from '../support/zapier/definition';
import { cacheServer, type CacheServer } from '../support/zapier/cacheServer';
import { readRecipes, type Recipe, type RecipeStep } from '../support/zapier/recipePage';
import { driveApp } from '../support/zapier/zapierTestApp';
import { useSandbox } from '../support/useSandbox';

const { sandbox, control } = useSandbox();

/** Monday noon and Saturday evening in Accra: within and outside the Sending Hours of a recipe. */
const [NOON, EVENING] = ['2031-12-01T12:00:00Z', '2031-11-29T20:15:00Z'];
const realNow = Date.now.bind(Date);
let offsetMs = 0;
const setNow = (moment: string) => (offsetMs = Date.parse(moment) - realNow());
beforeAll(() => void jest.spyOn(Date, 'now').mockImplementation(() => realNow() + offsetMs));
afterAll(() => jest.restoreAllMocks());
beforeEach(() => void setNow(NOON));

const OURS = 'Messaging Service';
/** The value of a cell that differs in each run. */
const NEW_EACH_TIME = '(new for each SMS)';

const recipes = readRecipes();
const named = recipes.map((recipe) => [recipe.file, recipe] as const);

let cache: CacheServer;
beforeEach(async () => {
	cache = await cacheServer();
	// Replies come from the number that a customer texted.
	await control.ask('POST', 'sender-ids', { name: '1234' });
	await control.ask('PUT', 'sender-ids/1234', { status: 'approved' });
});
afterEach(async () => await cache[Symbol.asyncDispose]());

/** @param raw the fields as the Zap stores them, with `{{...}}` for mapped values */
const app = (raw?: Readonly<Record<string, string>>) =>
	driveApp({ base_url: sandbox.baseUrl, api_key: sandbox.apiKey }, { rpc_base: cache.rpcBase, ...(raw && { raw }) });
const row = z.record(z.string(), z.unknown());
const choices = z.record(z.string(), z.string());

/** The outputs of the steps so far, by `1. Phone`. */
type Outputs = ReadonlyMap<string, string>;

/** Replaces `{{1. Phone}}` by the output of step 1, as Zapier does. */
function fill(text: string, outputs: Outputs): string {
	return text.replace(/\{\{([^}]+)\}\}/g, (_, name: string) => {
		const value = outputs.get(name);
		if (value === undefined) throw new Error(`There is no {{${name}}} before this step`);
		return value;
	});
}

async function stepOf({ app: name, event }: RecipeStep): Promise<Step> {
	expect(name).toBe(OURS);
	const found = (await readDefinition()).steps.find(({ display }) => display.label === event);
	if (!found) throw new Error(`The app has no step ${event}`);
	return found;
}

/** Converts the entered values by label to those by key, as the Zap stores them. A choice is entered by its label. */
async function storedBy(step: Step, enter: Readonly<Record<string, string>>): Promise<Record<string, string>> {
	const fields = await allFields(step);
	const stored = Object.entries(enter).map(([label, text]) => {
		const found = fields.find((one) => one.label === label);
		if (!found) throw new Error(`${step.display.label} has no field ${label}`);
		const offered = Object.entries(choices.safeParse(found.choices).data ?? {});
		return [found.key, offered.find(([, choice]) => choice === text)?.[0] ?? text] as const;
	});
	return Object.fromEntries(stored);
}

/** The outputs of the steps of other apps, and of a trigger of ours: the sample data of the page. */
const sampled = ({ number, sample }: RecipeStep) =>
	Object.entries(sample).map(([label, value]) => [`${number}. ${label}`, value] as const);

/** Whether a filter lets the sample data pass. */
function passes({ conditions }: RecipeStep, outputs: Outputs): boolean {
	return conditions.every(({ field: text = '', condition, value }) => {
		const given = fill(text, outputs);
		if (condition === 'Exists') return given !== '';
		if (condition === '(Text) Exactly matches') return given === value;
		throw new Error(`Unknown condition ${condition}`);
	});
}

/**
 * Runs the steps of a recipe as Zapier does: other apps with their sample data, ours through Zapier's handler.
 * @param changed outputs to use in place of the sample data, by `1. Phone`
 */
async function play({ steps }: Recipe, changed: Outputs = new Map()) {
	const outputs = new Map<string, string>();
	const written: Array<Readonly<Record<string, string>>> = [];
	const ends: Array<{ step: RecipeStep; failure?: { name: string } }> = [];
	for (const step of steps) {
		for (const [name, value] of sampled(step)) outputs.set(name, changed.get(name) ?? value);
		if (step.conditions.length > 0 && !passes(step, outputs)) break;
		if (step.app !== OURS) {
			const filled = Object.entries(step.enter).map(([label, text]) => [label, fill(text, outputs)] as const);
			if (filled.length > 0) written.push(Object.fromEntries(filled));
			continue;
		}
		const definition = await stepOf(step);
		const raw = await storedBy(definition, step.enter);
		if (definition.kind === 'triggers') continue;
		const inputs = Object.fromEntries(Object.entries(raw).map(([key, text]) => [key, fill(text, outputs)]));
		const { results, failure } = await app(raw).attempt(`${definition.at}.operation.perform`, inputs);
		ends.push({ step, ...(failure && { failure }) });
		if (failure) break;
		const found = row.parse(results);
		for (const { key, label } of definition.operation.outputFields ?? []) {
			// Zapier puts nothing in the place of a missing value.
			outputs.set(`${step.number}. ${label}`, asText(found[key]));
		}
	}
	return { outputs, written, ends };
}

it('there are eight recipes, and the list names each by its title', () => {
	expect(recipes).toHaveLength(8);
	const list = readFileSync(join(__dirname, '..', '..', 'docs', 'zapier-recipes', 'README.md'), 'utf8');
	for (const { title, file } of recipes) expect(list).toContain(`[${title}](${file})`);
});

describe.each(named)('the recipe %s', (_, recipe) => {
	it('has a section for each step of its overview', () => {
		const listed = recipe.overview.map(({ step, app: name, event }) => [Number(step), name, event]);
		expect(recipe.steps.map(({ number, app: name, event }) => [number, name, event])).toEqual(listed);
		expect(listed.length).toBeGreaterThan(1);
	});

	it('sends the messages of the page, at the cost of the page', async () => {
		const { outputs, ends } = await play(recipe);
		const [end] = ends;
		expect(ends).toHaveLength(1);
		expect(end?.failure).toBeUndefined();
		const result = end?.step.result ?? {};
		const messages = await control.messages();
		expect(messages.map(({ to }) => to).sort()).toEqual(result.To?.split(', '));
		expect(new Set(messages.map(({ message }) => message))).toEqual(new Set([result.Message]));
		expect((await control.wallet()).balance).toBeCloseTo(40 - Number(result.Cost), 4);
		const number = String(end?.step.number);
		expect(outputs.get(`${number}. Cost`)).toBe(result.Cost);
		expect(outputs.get(`${number}. Segments`) ?? outputs.get(`${number}. Total Segments`)).toBe(result.Segments);
	});

	it('writes the row of the page', async () => {
		const { written } = await play(recipe);
		const expected = recipe.steps.flatMap((step) => (Object.keys(step.written).length > 0 ? [step.written] : []));
		const comparable = written.map((values, index) =>
			Object.fromEntries(
				Object.entries(values).map(([label, value]) => {
					const isNew = expected[index]?.[label] === NEW_EACH_TIME;
					if (isNew) expect(value).not.toBe('');
					return [label, isNew ? NEW_EACH_TIME : value];
				}),
			),
		);
		expect(comparable).toEqual(expected);
	});

	it('sends nothing if the number is missing', async () => {
		const to = recipe.steps.find(({ result }) => 'To' in result)?.enter.To ?? '';
		const source = /^\{\{(.+)\}\}$/.exec(to)?.[1] ?? '';
		const { ends, outputs } = await play(recipe, new Map([[source, '']]));
		// A bulk send to an empty list succeeds, and its row says so.
		for (const { step, failure } of ends) {
			expect(failure?.name ?? outputs.get(`${step.number}. Outcome`)).toMatch(/^(HaltedError|nothing_to_send)$/);
		}
		expect(await control.messages()).toEqual([]);
		expect((await control.wallet()).balance).toBe(40);
	});

	it('sends once if its trigger fires twice', async () => {
		await play(recipe);
		const sent = await control.messages();
		const { outputs } = await play(recipe);
		expect([...outputs].filter(([name]) => name.endsWith('. Already Sent'))).toEqual([[expect.any(String), 'true']]);
		expect(await control.messages()).toEqual(sent);
	});
});

it('the recipe review-after-visit.md sends an SMS of the evening on the next allowed morning, with a link to opt out', async () => {
	const recipe = recipes.find(({ file }) => file === 'review-after-visit.md');
	if (!recipe) throw new Error('The recipe is missing');
	setNow(EVENING);
	const { outputs, ends } = await play(recipe);
	expect(ends[0]?.failure).toBeUndefined();
	expect(outputs.get('3. Allowed At')).toBe('2031-12-01T08:00:00.000Z');
	const [message, ...more] = await control.messages();
	expect(more).toEqual([]);
	expect(message?.status).toBe('queued');
	expect(message?.message).toMatch(/ Opt out: https:\/\/\S+$/);
});
