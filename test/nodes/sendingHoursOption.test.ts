import { NodeHelpers, type INode, type INodeParameters } from 'n8n-workflow';
import { MessagingService } from '../../nodes/MessagingService/MessagingService.node';

const { description } = new MessagingService();
const defaults = {
	from: '08:00',
	until: '19:00',
	days: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'],
	timeZone: 'Africa/Accra',
	holidays: '',
	outside: 'schedule',
};

/** The parameters after the editor saved the node without its defaults, and n8n's server loaded it. */
function afterSaving(values: INodeParameters): unknown {
	const parameters: INodeParameters = { resource: 'sms', operation: 'send', options: { sendingHours: { values } } };
	const node: INode = {
		id: '1',
		name: 'Node',
		type: description.name,
		typeVersion: 1,
		position: [0, 0],
		parameters,
	};
	const read = (given: INodeParameters | null, withDefaults: boolean) =>
		NodeHelpers.getNodeParameters(description.properties, given, withDefaults, false, node, description);
	return Object(read(read(parameters, false), true)?.options);
}

describe('the Sending Hours of a saved node', () => {
	it.each<[string, INodeParameters]>([
		['with all default values', {}],
		['with other hours', { from: '09:00', until: '18:00' }],
		['with other days and a zone', { days: ['sunday'], timeZone: 'Africa/Lagos' }],
		['with the zone of the workflow', { timeZone: '' }],
		['with an expression', { holidays: '={{ $json.holidays }}', outside: 'stop' }],
	])('stay on %s', (_, more) => {
		const values = { ...defaults, ...more };
		expect(afterSaving(values)).toEqual({ sendingHours: { values } });
	});
});
