import type { INodeParameters } from 'n8n-workflow';
import { MessagingService } from '../../../nodes/MessagingService/MessagingService.node';
import { operations } from '../../../nodes/MessagingService/operations';
import type { Operation } from '../../../nodes/MessagingService/execution/operation';
import { endpointOf, operationCases } from '../../support/operationCases';

const parametersOfAll = (calling: boolean): Readonly<Record<string, INodeParameters>> =>
	Object.fromEntries(
		Object.entries(operationCases).flatMap(([id, { endpoint, parameters }]) =>
			(endpoint !== undefined) === calling ? [[id, parameters]] : [],
		),
	);

/** Fields of each operation that calls the service, by resource and operation. */
export const calls = parametersOfAll(true);

/** Operations that cost money. */
export const charging: readonly string[] = Object.keys(calls).filter((id) => endpointOf(id)?.charges);

/** Operations that never call the service. */
export const local = parametersOfAll(false);

/** Parameters of an operation with its fields filled in. */
export function parametersOf(id: string, more: INodeParameters = {}): INodeParameters {
	const [resource = '', operation = ''] = id.split('.');
	return { resource, operation, ...calls[id], ...local[id], ...more };
}

const resourceNames = new Map(
	new MessagingService().description.properties
		.filter(({ name }) => name === 'resource')
		.flatMap(({ options = [] }) => options)
		.map((option) => ['value' in option ? String(option.value) : '', option.name]),
);

/** The name of an operation in the editor. */
export function nameOf(id: string): string {
	const [resource = '', operation = ''] = id.split('.');
	return `${resourceNames.get(resource)} > ${operationOf(id).option.name}${operation === '' ? '?' : ''}`;
}

/** The definition of an operation. */
export function operationOf(id: string): Operation {
	const [resource = '', operation = ''] = id.split('.');
	const found = Object.entries<Record<string, Operation>>(operations).find(([name]) => name === resource)?.[1];
	const one = found?.[operation];
	if (!one) throw new Error(`There is no operation ${id}`);
	return one;
}
