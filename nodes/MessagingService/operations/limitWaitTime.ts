import {
	type IDataObject,
	type IExecuteFunctions,
	type INodeProperties,
	type INodePropertyOptions,
	WAIT_INDEFINITELY,
} from 'n8n-workflow';
import { InputError, scheduleAt } from '../../../shared';
import { missingOutputs } from '../execution/sendAndWait/outputs';

/** The units of a time. */
export const unitOptions: INodePropertyOptions[] = [
	{ name: 'Minutes', value: 'minutes' },
	{ name: 'Hours', value: 'hours' },
	{ name: 'Days', value: 'days' },
];

/** The length of each unit, in milliseconds. */
export const unitMs: Readonly<Record<string, number>> = { minutes: 60_000, hours: 3_600_000, days: 86_400_000 };

/** The Limit Wait Time option: how long an execution waits for the response. Has the fields of n8n's own nodes. */
export const limitWaitTimeOption: INodeProperties = {
	displayName: 'Limit Wait Time',
	name: 'limitWaitTime',
	type: 'fixedCollection',
	default: { values: { limitType: 'afterTimeInterval', resumeAmount: 45, resumeUnit: 'minutes' } },
	description:
		'How long to wait for the response. After that, No Response continues. Without this option there is no limit.',
	options: [
		{
			displayName: 'Values',
			name: 'values',
			values: [
				{
					displayName: 'Limit Type',
					name: 'limitType',
					type: 'options',
					default: 'afterTimeInterval',
					options: [
						{ name: 'After Time Interval', value: 'afterTimeInterval', description: 'Wait for a certain time' },
						{ name: 'At Specified Time', value: 'atSpecifiedTime', description: 'Wait until a date and time' },
					],
				},
				{
					displayName: 'Amount',
					name: 'resumeAmount',
					type: 'number',
					typeOptions: { minValue: 0, numberPrecision: 2 },
					default: 1,
					description: 'How long to wait, in the chosen unit',
					displayOptions: { show: { limitType: ['afterTimeInterval'] } },
				},
				{
					displayName: 'Unit',
					name: 'resumeUnit',
					type: 'options',
					default: 'hours',
					options: unitOptions,
					displayOptions: { show: { limitType: ['afterTimeInterval'] } },
				},
				{
					displayName: 'Max Date and Time',
					name: 'maxDateAndTime',
					type: 'dateTime',
					default: '',
					description: 'When to continue without a response, in the time zone of the workflow',
					displayOptions: { show: { limitType: ['atSpecifiedTime'] } },
				},
			],
		},
	],
};

/**
 * Reads the Limit Wait Time option.
 * @returns end of the wait, or n8n's `WAIT_INDEFINITELY` if there is no limit; an error that names the option
 */
export function waitTill(context: IExecuteFunctions, options: IDataObject): Date | InputError {
	const { values } = Object(options.limitWaitTime) as { values?: IDataObject };
	if (!values) return WAIT_INDEFINITELY;
	const missing = missingOutputs(context);
	if (missing !== undefined) return wrong(missing);
	const now = Date.now();
	if (values.limitType === 'atSpecifiedTime') {
		const when = scheduleAt(String(values.maxDateAndTime), { now, localZone: context.getTimezone() });
		if (when.ok) return new Date(when.instant);
		return wrong(when.problem === 'past' ? 'is in the past: choose a later time' : when.message);
	}
	const milliseconds = Number(values.resumeAmount ?? 1) * (unitMs[String(values.resumeUnit ?? 'hours')] ?? Number.NaN);
	const end = new Date(now + milliseconds);
	if (milliseconds > 0 && end < WAIT_INDEFINITELY) return end;
	return wrong('is not a time above zero: enter an amount and a unit');
}

function wrong(message: string): InputError {
	return new InputError('node', [{ field: 'limitWaitTime', message }]);
}
