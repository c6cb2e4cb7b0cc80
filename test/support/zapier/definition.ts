import { z } from 'zod/v4';
import { driveApp, handler } from './zapierTestApp';

/** A field of a step, as Zapier's servers receive it. */
const plainField = z.looseObject({
	key: z.string(),
	label: z.string(),
	type: z.string().optional(),
	helpText: z.string().optional(),
	required: z.boolean().optional(),
	dynamic: z.string().optional(),
	search: z.string().optional(),
	choices: z.unknown().optional(),
	list: z.boolean().optional(),
	dict: z.boolean().optional(),
	group: z.string().optional(),
	altersDynamicFields: z.boolean().optional(),
});
const field = plainField.extend({ children: z.array(plainField).optional() });
const fieldOrFunction = z.union([field, z.string().startsWith('$func$')]);

const step = z.looseObject({
	key: z.string(),
	noun: z.string(),
	display: z.looseObject({ label: z.string(), description: z.string(), hidden: z.boolean().optional() }),
	operation: z.looseObject({
		type: z.string().optional(),
		inputFields: z.array(fieldOrFunction).optional(),
		inputFieldGroups: z.array(z.looseObject({ key: z.string() })).optional(),
		outputFields: z
			.array(z.looseObject({ key: z.string(), label: z.string(), type: z.string(), list: z.boolean().optional() }))
			.optional(),
		sample: z.record(z.string(), z.unknown()),
		throttle: z.looseObject({ key: z.string(), scope: z.array(z.string()) }).optional(),
	}),
});
const steps = z.record(z.string(), step);

const definitionSchema = z.looseObject({
	version: z.string(),
	platformVersion: z.string(),
	authentication: z.looseObject({ fields: z.array(field), connectionLabel: z.string() }),
	creates: steps,
	searches: steps,
	triggers: steps,
	searchOrCreates: z.record(
		z.string(),
		z.looseObject({
			key: z.string(),
			search: z.string(),
			create: z.string(),
			display: z.looseObject({ label: z.string(), description: z.string() }),
		}),
	),
	flags: z.looseObject({}),
});

/** A field as the user sees it. */
export type Field = z.output<typeof field>;

/** One step, with its kind and its path in the definition. */
export type Step = z.output<typeof step> & { readonly kind: 'creates' | 'searches' | 'triggers'; readonly at: string };

/** The app definition, as Zapier's servers receive it. */
export async function readDefinition() {
	const definition = definitionSchema.parse((await handler({ command: 'definition' })).results);
	const all = (['creates', 'searches', 'triggers'] as const).flatMap((kind) =>
		Object.entries(definition[kind]).map(([key, found]): Step => ({ ...found, kind, at: `${kind}.${key}` })),
	);
	return { ...definition, steps: all };
}

/** The static fields of a step. */
export function staticFields({ operation }: Step): Field[] {
	return (operation.inputFields ?? []).filter((found) => typeof found !== 'string');
}

/** Every field that a step may have, including dynamic fields and those of line items. */
export async function allFields(step: Step): Promise<Field[]> {
	const fields = staticFields(step);
	const altering = fields.find(({ altersDynamicFields }) => altersDynamicFields);
	const found = new Map(fields.map((one) => [one.key, one]));
	for (const choice of Object.keys(Object(altering?.choices ?? {}) as object)) {
		const inputData = { [altering?.key ?? '']: choice };
		const given = await driveApp({}).run(`${step.at}.operation.inputFields`, inputData);
		for (const one of z.array(field).parse(given)) found.set(one.key, one);
	}
	const all = [...found.values()];
	return [...all, ...all.flatMap(({ children = [] }) => children)];
}
