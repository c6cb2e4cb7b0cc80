import { z } from 'zod/v4';
import { handler } from './driveApp';

/** A field of a step, as Zapier's servers get it; without a key where a function gives it. */
const field = z.looseObject({
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
	children: z.array(z.looseObject({ key: z.string(), label: z.string(), helpText: z.string().optional() })).optional(),
});
const fieldOrFunction = z.union([field, z.string().startsWith('$func$')]);

const step = z.looseObject({
	key: z.string(),
	noun: z.string(),
	display: z.looseObject({ label: z.string(), description: z.string(), hidden: z.boolean().optional() }),
	operation: z.looseObject({
		type: z.string().optional(),
		inputFields: z.array(fieldOrFunction).optional(),
		inputFieldGroups: z.array(z.looseObject({ key: z.string() })).optional(),
		outputFields: z.array(z.looseObject({ key: z.string(), label: z.string(), type: z.string() })).optional(),
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

/** A field as a person sees it. */
export type Field = z.output<typeof field>;

/** One step, with the kind of it and where it stands. */
export type Step = z.output<typeof step> & { readonly kind: 'creates' | 'searches' | 'triggers'; readonly at: string };

/** The app as Zapier's servers get it. */
export async function readDefinition() {
	const definition = definitionSchema.parse((await handler({ command: 'definition' })).results);
	const all = (['creates', 'searches', 'triggers'] as const).flatMap((kind) =>
		Object.entries(definition[kind]).map(([key, found]): Step => ({ ...found, kind, at: `${kind}.${key}` })),
	);
	return { ...definition, steps: all };
}

/** The fields of a step that it always has. */
export function staticFields({ operation }: Step): Field[] {
	return (operation.inputFields ?? []).filter((found) => typeof found !== 'string');
}
