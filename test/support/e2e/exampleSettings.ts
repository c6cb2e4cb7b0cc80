import { z } from 'zod/v4';
import type { ExampleNode } from './exampleWorkflow';

/** A node of settings. */
const withSettings = z.object({
	parameters: z.object({
		assignments: z.object({ assignments: z.array(z.looseObject({ name: z.string() })) }),
	}),
});

/**
 * Types values into the nodes of settings of an example, as its blue note says. Give it to `Importer.chosen`.
 * @param values by the name of the setting
 * @param others the choices in all other nodes. Default: none
 */
export function settings(
	values: Readonly<Record<string, unknown>>,
	others: (node: ExampleNode) => object = () => ({}),
): (node: ExampleNode) => object {
	return (node) => {
		const given = withSettings.safeParse(node).data?.parameters.assignments.assignments;
		if (!given?.some(({ name }) => name in values)) return others(node);
		const typed = given.map((one) => (one.name in values ? { ...one, value: values[one.name] } : one));
		return { assignments: { assignments: typed } };
	};
}
