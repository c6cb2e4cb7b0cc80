import type { INodeProperties } from 'n8n-workflow';
import { DAY_NAMES } from '../../../shared';

const [sunday, ...others] = DAY_NAMES;

/** From Monday, and not in the order of the alphabet. */
const days = [...others, sunday].map((name) => ({ name, value: name.toLowerCase() }));

/** In the order in which people speak of hours. */
const fields: INodeProperties[] = [
	{
		displayName: 'From',
		name: 'from',
		type: 'string',
		default: '08:00',
		placeholder: 'e.g. 08:00',
		description: 'First minute of the day at which messages may be sent',
	},
	{
		displayName: 'Until',
		name: 'until',
		type: 'string',
		default: '19:00',
		placeholder: 'e.g. 19:00',
		description: 'From this time on, no message is sent on that day. Midnight is 24:00.',
	},
	{
		displayName: 'Days',
		name: 'days',
		type: 'multiOptions',
		options: days,
		default: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'],
		description: 'Days of the week on which messages may be sent',
	},
	{
		displayName: 'Time Zone',
		name: 'timeZone',
		type: 'string',
		// As for Default Country. A new n8n has the time zone of New York.
		default: 'Africa/Accra',
		placeholder: 'e.g. Africa/Accra',
		description: 'Time zone of the recipients, such as Africa/Lagos. Empty means the time zone of the workflow.',
	},
	{
		displayName: 'Holidays',
		name: 'holidays',
		type: 'string',
		default: '',
		placeholder: 'e.g. 2026-12-25, 2026-12-26',
		description: 'Dates on which no message is sent, as a list or separated by commas',
	},
	{
		displayName: 'Outside These Hours',
		name: 'outside',
		type: 'options',
		options: [
			{
				name: 'Schedule',
				value: 'schedule',
				description: 'The service sends the message at the next allowed time. The wallet is charged now.',
			},
			{ name: 'Skip', value: 'skip', description: 'Send nothing, and say in the row when it would be allowed' },
			{ name: 'Stop', value: 'stop', description: 'Return an error before anything is sent' },
		],
		default: 'schedule',
		description: 'What to do with a message outside these hours',
	},
];

/** The Sending Hours option: when messages may be sent (docs/n8n.md#sending-hours). */
export const sendingHoursOption: INodeProperties = {
	displayName: 'Sending Hours',
	name: 'sendingHours',
	type: 'fixedCollection',
	default: {
		values: {
			from: '08:00',
			until: '19:00',
			days: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'],
			timeZone: 'Africa/Accra',
			holidays: '',
			outside: 'schedule',
		},
	},
	description: 'When messages may be sent. Without this option, at any time.',
	options: [{ displayName: 'Values', name: 'values', values: fields }],
};
