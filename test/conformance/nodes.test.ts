import { MessagingService } from '../../nodes/MessagingService/MessagingService.node';
import { operations } from '../../nodes/MessagingService/operations';
import { endpoints, type Endpoint } from '../../shared';

const { description } = new MessagingService();
const surfaced = Object.entries(operations).flatMap(([resource, table]) =>
	Object.entries(table).map(([operation, definition]) => ({ id: `${resource}.${operation}`, definition })),
);
const endpointOf = (id: string): Endpoint | undefined => endpoints.find((endpoint) => endpoint.id === id);
const offered = (name: string, resource?: string) =>
	description.properties
		.filter((property) => property.name === name)
		.filter((property) => !resource || property.displayOptions?.show?.resource?.includes(resource))
		.flatMap(({ options = [] }) => options)
		.map((option) => ('value' in option ? option.value : ''));

describe('the operations of the n8n node', () => {
	it('are those that the node offers, by resource', () => {
		expect(offered('resource')).toEqual(Object.keys(operations));
		for (const [resource, table] of Object.entries(operations)) {
			expect(offered('operation', resource)).toEqual(Object.values(table).map(({ option }) => option.value));
			expect(Object.keys(table)).toEqual(Object.values(table).map(({ option }) => option.value));
		}
	});

	it.each(surfaced.map(({ id, definition }) => [id, definition] as const))('%s is an endpoint', (id, { labels }) => {
		const endpoint = endpointOf(id);
		expect(endpoint).toBeDefined();
		// Every key that the wire takes has a name that the user sees, and none is named that the wire does not take.
		expect(Object.keys(labels).sort()).toEqual(Object.keys(endpoint?.input.shape ?? {}).sort());
	});

	it.each(surfaced.map(({ id, definition }) => [id, definition] as const))(
		'%s shows its fields for itself alone, under the names of its labels',
		(id, { fields, labels }) => {
			const [resource, operation] = id.split('.');
			for (const field of fields) {
				expect(field.displayOptions).toEqual({ show: { resource: [resource], operation: [operation] } });
			}
			const shown = fields.flatMap((field) => [
				field.displayName,
				...(field.options ?? []).map((option) => ('displayName' in option ? option.displayName : '')),
			]);
			expect(shown).toEqual(expect.arrayContaining(Object.values(labels)));
		},
	);

	it('leave out what no node has yet, and nothing else', () => {
		const missing = endpoints.map(({ id }) => id).filter((id) => !surfaced.some((operation) => operation.id === id));
		expect(missing).toEqual([
			'sms.sendBulk',
			'message.get',
			'verification.start',
			'verification.check',
			'lookup.phone',
			'wallet.createTopUp',
			'wallet.getTopUp',
			'wallet.listTransactions',
			'senderId.list',
			'contact.list',
			'contact.create',
			'whatsapp.send',
			'email.send',
			'voice.send',
		]);
	});
});
