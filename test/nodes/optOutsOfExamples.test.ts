import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod/v4';
import { startEngine, type Engine } from '../support/n8n/engine';
import { useSandbox } from '../support/useSandbox';

const folder = join(__dirname, '..', '..', 'examples');
const withExcluded = z.object({
	name: z.string(),
	parameters: z.object({ options: z.object({ excludedNumbers: z.string() }) }),
});
const workflow = z.object({ nodes: z.array(z.unknown()) });

/** The Excluded Numbers of each node of the examples that has some. They read the rows of the table of opt-outs. */
const expressions = readdirSync(folder)
	.filter((file) => file.endsWith('.json'))
	.flatMap((file) =>
		workflow.parse(JSON.parse(readFileSync(join(folder, file), 'utf8'))).nodes.flatMap((node) => {
			const { success, data } = withExcluded.safeParse(node);
			return success ? [[file, data.name, data.parameters.options.excludedNumbers] as const] : [];
		}),
	);

const TABLE = "$('Opted-out numbers')";
const [ama, kofi] = ['+233201234501', '+233201234502'];

const { sandbox, control } = useSandbox();
let engine: Engine;
beforeAll(async () => {
	const credential = { apiKey: 'sk_sandbox_demo', baseUrl: sandbox.baseUrl, authHeader: 'X-API-Key' };
	engine = await startEngine({ messagingServiceApi: credential });
});

it('finds the examples with Excluded Numbers', () => {
	expect(expressions.map(([file]) => file)).toHaveLength(8);
	for (const [, , expression] of expressions) expect(expression).toContain(TABLE);
});

describe.each(expressions)('%s: %s', (_file, _name, expression) => {
	/** Sends to both numbers with these rows in the table. */
	const sendWith = async (rows: ReadonlyArray<Record<string, unknown>>) =>
		await engine.run({
			parameters: {
				resource: 'sms',
				operation: 'sendBulk',
				senderId: { __rl: true, mode: 'name', value: 'KOFISHOP' },
				to: `${ama}, ${kofi}`,
				message: 'Rice is here',
				options: { excludedNumbers: expression.replace(TABLE, '$input') },
			},
			items: rows,
			settings: { executeOnce: true, onError: 'continueRegularOutput' },
		});

	it('sends to all if the table is empty', async () => {
		// n8n passes one item without fields on.
		await sendWith([{}]);
		expect((await control.messages()).map(({ to }) => to).sort()).toEqual([ama, kofi]);
	});

	it('sends nothing to a number in the table', async () => {
		await sendWith([{ id: 1, phone: kofi }]);
		expect((await control.messages()).map(({ to }) => to)).toEqual([ama]);
	});

	it('sends nothing to anyone if the column of the table has another name', async () => {
		const { outputs } = await sendWith([{ id: 1, Phone: kofi }]);
		expect(outputs[0]?.[0]?.json.error).toMatch(/^Excluded Numbers is empty/);
		expect(await control.messages()).toEqual([]);
	});
});
