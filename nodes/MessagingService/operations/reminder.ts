import { type IDataObject, type IExecuteFunctions, type INodeProperties, WAIT_INDEFINITELY } from 'n8n-workflow';
import { asText, InputError, readNumber } from '../../../shared';
import { hasOutputs, missingOutputs } from '../execution/sendAndWait/outputs';
import type { Reminder } from '../execution/sendAndWait/question';
import { unitMs, unitOptions } from './limitWaitTime';

/** Maximum number of reminders of one question, because each costs a message for every approver. */
const MOST_REMINDERS = 10;

/** The Reminder option: when to ask again without a response. */
export const reminderOption: INodeProperties = {
	displayName: 'Reminder',
	name: 'reminder',
	type: 'fixedCollection',
	default: { values: { remindAfter: 1, unit: 'hours', maxReminders: 1, intro: 'Reminder:' } },
	description:
		'When to ask again without a response. Costs a message per approver. Lead the Reminder output back to this node.',
	options: [
		{
			displayName: 'Values',
			name: 'values',
			values: [
				{
					displayName: 'Remind After',
					name: 'remindAfter',
					type: 'number',
					typeOptions: { minValue: 0, numberPrecision: 2 },
					default: 1,
					description: 'How long to wait before each reminder, in the chosen unit',
				},
				{ displayName: 'Unit', name: 'unit', type: 'options', default: 'hours', options: unitOptions },
				{
					displayName: 'Maximum Reminders',
					name: 'maxReminders',
					type: 'number',
					typeOptions: { minValue: 1, maxValue: MOST_REMINDERS, numberPrecision: 0 },
					default: 1,
					description: 'How often to remind at most, from 1 to 10',
				},
				{
					displayName: 'Text Before Question',
					name: 'intro',
					type: 'string',
					default: 'Reminder:',
					description: 'The words that a reminder starts with. Empty repeats the question alone.',
				},
			],
		},
	],
};

/**
 * Reads the Reminder option, and checks that the workflow leads the item back to the node.
 * @returns undefined if the option is not set; an error that names it
 */
export function readReminder(context: IExecuteFunctions, options: IDataObject): Reminder | InputError | undefined {
	const { values } = Object(options.reminder) as { values?: IDataObject };
	if (!values) return undefined;
	const wrong = (message: string) => new InputError('node', [{ field: 'reminder', message }]);
	if (!hasOutputs(context)) {
		return wrong('works only in a workflow, because a human review has no output for it: remove the option');
	}
	const missing = missingOutputs(context);
	if (missing !== undefined) return wrong(missing);
	if (!leadsBack(context)) {
		return wrong('has no way back: connect the Reminder output to the No Operation node, and that one to this node');
	}
	const amount = readNumber(values.remindAfter ?? 1) ?? Number.NaN;
	const everyMs = amount * (unitMs[String(values.unit ?? 'hours')] ?? Number.NaN);
	if (!(everyMs > 0 && Date.now() + everyMs < WAIT_INDEFINITELY.getTime())) {
		return wrong('has no time above zero: enter Remind After and Unit');
	}
	const times = readNumber(values.maxReminders ?? 1) ?? Number.NaN;
	if (!(Number.isInteger(times) && times >= 1 && times <= MOST_REMINDERS)) {
		return wrong(`has a Maximum Reminders that is not a whole number from 1 to ${MOST_REMINDERS}: enter one`);
	}
	return { everyMs, times, intro: asText(values.intro ?? 'Reminder:').trim() };
}

/** Whether another node after this one is also before it. n8n never lists a node as its own neighbor. */
function leadsBack(context: IExecuteFunctions): boolean {
	const { name } = context.getNode();
	const before = new Set(context.getParentNodes(name).map((node) => node.name));
	return context.getChildNodes(name).some((node) => before.has(node.name) && !node.disabled);
}
