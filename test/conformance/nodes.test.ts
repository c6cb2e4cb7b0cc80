import { MessagingService } from '../../nodes/MessagingService/MessagingService.node';
import { operations } from '../../nodes/MessagingService/operations';
import { labelsOf } from '../../nodes/MessagingService/host/labels';
import type { Operation } from '../../nodes/MessagingService/execution/operation';
import { contract, endpoints } from '../../shared';
import { endpointOf } from '../support/operationCases';

const { description } = new MessagingService();
/** Our fields without a key of the API. */
const ownFields = [
	'defaultCountry',
	'unknownNumberRanges',
	'landlines',
	'dryRun',
	'sendOnceKey',
	'sendingHours',
	'keyScope',
	'maxRecipients',
	'maxSpend',
	'checkBalance',
	'limitWaitTime',
	'reminder',
	'timeLimit',
	'excludedNumbers',
	'recipientsPerRequest',
	'skipRejectedNumbers',
	'acceptSuccess',
	'parallelRequests',
	'requestsPerSecond',
	'responseType',
	'approvalOptions',
	'returnAll',
	'customFields',
	'customFieldsJson',
];

const surfaced = Object.entries<Record<string, Operation>>(operations).flatMap(([resource, table]) =>
	Object.entries(table).map(([operation, definition]) => {
		const id = `${resource}.${operation}`;
		return { id, definition, endpoint: endpointOf(id) };
	}),
);
const offered = (name: string, resource?: string) =>
	description.properties
		.filter((property) => property.name === name)
		.filter((property) => !resource || property.displayOptions?.show?.resource?.includes(resource))
		.flatMap(({ options = [] }) => options)
		.map((option) => ('value' in option ? option.value : ''));

describe('the operations of the n8n node', () => {
	it('the n8n node offers exactly the operations in its table, by resource', () => {
		expect(offered('resource')).toEqual(Object.keys(operations));
		for (const [resource, table] of Object.entries(operations)) {
			expect(offered('operation', resource)).toEqual(Object.values(table).map(({ option }) => option.value));
			expect(Object.keys(table)).toEqual(Object.values(table).map(({ option }) => option.value));
		}
	});

	const called = surfaced.filter(({ endpoint }) => endpoint);
	it.each(called.map(({ id, definition, endpoint }) => [id, definition, endpoint] as const))(
		'%s calls an endpoint and names each of its keys',
		(id, { fields }, endpoint) => {
			expect(endpoint).toBeDefined();
			// Each key of the API has a name that the user sees, and no other key has one.
			const own = ['contact.getMany', 'senderId.getMany'].includes(id) ? [...ownFields, 'limit'] : ownFields;
			const wire = Object.keys(labelsOf(fields)).filter((key) => !own.includes(key) && !key.startsWith('pricePer'));
			// The client counts the offset.
			const keys = Object.keys(endpoint?.input.shape ?? {}).filter((key) => key !== 'offset');
			expect(wire.sort()).toEqual(keys.sort());
		},
	);

	it.each(surfaced.map(({ id, definition }) => [id, definition] as const))(
		'%s shows its fields only for itself',
		(id, { fields }) => {
			const [resource, operation] = id.split('.');
			for (const field of fields) {
				expect(field.displayOptions?.show).toMatchObject({ resource: [resource], operation: [operation] });
			}
		},
	);

	it.each(surfaced.filter(({ endpoint }) => endpoint?.charges).map(({ id, definition }) => [id, definition] as const))(
		'%s says that it costs money, also to an agent',
		(id, { option }) => {
			const [resource = '', operation = ''] = id.split('.');
			expect(option.description).toContain('Costs money');
			const reported = description.properties.filter(({ name, displayOptions }) => {
				const { resource: resources, operation: operations } = displayOptions?.show ?? {};
				return name === 'toolDescription' && resources?.includes(resource) && operations?.includes(operation);
			});
			// The human review has no tool description for an agent.
			expect(reported.map((field) => field.default)).toEqual(operation === 'sendAndWait' ? [] : [option.description]);
			expect(reported.every(({ displayOptions }) => displayOptions?.show?.['@tool']?.includes(true))).toBe(true);
		},
	);

	it.each(
		called.flatMap(({ id, definition, endpoint }) =>
			'maxSpend' in labelsOf(definition.fields) && endpoint ? [[id, definition, endpoint] as const] : [],
		),
	)('%s has one price option, named after the unit that it is charged by', (_, { fields }, { charges }) => {
		const unit = String(charges).replace(/^./, (letter) => letter.toUpperCase());
		const prices = Object.entries(labelsOf(fields)).filter(([name]) => name.startsWith('pricePer'));
		expect(prices).toEqual([[`pricePer${unit}`, `Price per ${unit}`]]);
	});

	it('the n8n node offers every endpoint of the service, with one operation for the two that get a message', () => {
		const missing = endpoints
			.map(({ id }) => id)
			.filter((id) => !surfaced.some((operation) => operation.endpoint?.id === id));
		// Two operations with one result would only make users choose: Message > Get returns all fields of sms.get.
		expect(missing).toEqual(['sms.get']);
		expect(contract.message.get.example.output).toMatchObject(contract.sms.get.example.output);
		expect(Object.keys(contract.message.get.output.shape)).toEqual(
			expect.arrayContaining(Object.keys(contract.sms.get.output.shape)),
		);
	});
});
