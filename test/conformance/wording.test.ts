import type { INodeProperties } from 'n8n-workflow';
import { MessagingService } from '../../nodes/MessagingService/MessagingService.node';
import { operations } from '../../nodes/MessagingService/operations';
import type { Operation } from '../../nodes/MessagingService/execution/operation';
import { endpointOf, sendsSomething } from '../support/operationCases';

const { description } = new MessagingService();

const all = Object.entries<Record<string, Operation>>(operations).flatMap(([resource, table]) =>
	Object.entries(table).map(([operation, { option, fields }]) => ({ id: `${resource}.${operation}`, option, fields })),
);
/** What an operation is charged by; false or undefined if it is free. */
const chargesOf = (id: string) => endpointOf(id)?.charges;
/** Operations that send a message or make a call. */
const sends = all.filter(({ id }) => {
	const endpoint = endpointOf(id);
	return endpoint?.charges && sendsSomething(endpoint);
});

const fieldsOf = (properties: readonly INodeProperties[]): INodeProperties[] =>
	properties.flatMap((property) => [
		property,
		...(property.type === 'collection'
			? fieldsOf((property.options ?? []).filter((option): option is INodeProperties => 'displayName' in option))
			: []),
	]);
const fields = all.flatMap(({ id, fields: own }) =>
	fieldsOf(own).map((field) => [`${id}: ${field.displayName}`, field] as const),
);

describe('the texts of the node, by the UX guidelines of n8n', () => {
	it.each(sends.map(({ id, option }) => [id, option] as const))(
		'%s says that it costs money and cannot be undone',
		(_, option) => {
			expect(option.description).toMatch(/\. Costs money (now )?and cannot be undone\.$/);
		},
	);

	it('a charged operation says that it costs money, and a free one does not', () => {
		const costing = all.filter(({ option }) => option.description?.includes('Costs money')).map(({ id }) => id);
		expect(costing).toEqual(all.map(({ id }) => id).filter(chargesOf));
	});

	it.each(all.map(({ id, option }) => [id, option] as const))(
		'%s has a name in title case and a sentence as action',
		(_, { name, action }) => {
			const small = new Set(['and', 'for', 'of', 'in', 'to']);
			expect(name.split(/[\s-]/).filter((word) => !small.has(word) && !/^[A-Z]/.test(word))).toEqual([]);
			expect(action).toMatch(/^[A-Z][a-z]+ [^.]+$/);
			// As in the lists of Gmail and Slack: the noun has an article, or the number.
			expect(action).toMatch(/^[A-Z][a-z]+( up| for)? (an?|the|many) /);
		},
	);

	it.each(fields)('%s has a description, and starts an example with e.g.', (_, field) => {
		const { type, typeOptions, description: reported, placeholder, modes = [] } = field;
		if (!['collection', 'fixedCollection'].includes(type)) expect(reported).toMatch(/^[A-Z]/);
		if (type === 'boolean') expect(reported).toMatch(/^Whether /);
		const isList = typeOptions?.multipleValues === true;
		if (type === 'collection' || type === 'fixedCollection')
			expect(placeholder ?? 'Add option').toBe(isList ? 'Add field' : 'Add option');
		else if (placeholder !== undefined) expect(placeholder).toMatch(/^e\.g\. /);
		// One sentence has no period at the end. Several sentences have one each.
		expect(/[.?] [A-Z0-9]/.test(reported ?? '')).toBe(/\.$/.test(reported ?? ''));
		for (const mode of modes) expect(mode.placeholder).toMatch(/^(e\.g\. |Select an? .+\.\.\.$)/);
	});

	it('sorts lists alphabetically', () => {
		const lists = [
			...description.properties.filter(({ name }) => name === 'resource' || name === 'operation'),
			...fieldsOf(all.flatMap(({ fields: own }) => own)).filter(({ name }) => name === 'options'),
		];
		for (const { options = [] } of lists) {
			const names = options.map((option) => ('displayName' in option ? option.displayName : option.name));
			expect(names).toEqual([...names].sort((a, b) => a.localeCompare(b)));
		}
		expect(lists.length).toBeGreaterThan(all.length / 2);
	});
});
