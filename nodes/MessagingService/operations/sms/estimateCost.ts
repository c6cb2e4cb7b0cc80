import { costReport, InputError, textProblem } from '../../../../shared';
import type { ItemOperation, RunOperation } from '../../execution/operation';
import { runItems } from '../../execution/runItems';
import { addHint } from '../../host/olderN8n';
import { messageParameter, numberParameter } from '../../host/parameters';
import { messageField, shownFor } from '../fields';

const displayOptions = shownFor('sms', 'estimateCost');
const fieldNames = {
	recipients: 'recipients',
	perSegment: 'pricePerSegment',
	cost: 'cost',
	segmentCount: 'segmentCount',
};

const perItem: ItemOperation = {
	option: {
		name: 'Estimate Cost',
		value: 'estimateCost',
		action: 'Estimate the cost of an SMS',
		description: 'Count the segments of a message and estimate its cost. Free, no request is made.',
	},
	fields: [
		messageField({
			placeholder: 'e.g. We are open 8 am to 6 pm',
			description: 'The message to count and price. Nothing is sent.',
			displayOptions,
		}),
		{
			displayName: 'Recipients',
			name: 'recipients',
			type: 'number',
			typeOptions: { minValue: 0, numberPrecision: 0 },
			default: 1,
			description: 'Number of recipients of the message',
			displayOptions,
		},
		{
			displayName: 'Price per Segment',
			name: 'pricePerSegment',
			type: 'number',
			typeOptions: { minValue: 0, numberPrecision: 4 },
			default: 0,
			description:
				'The price that your account pays for one segment, in wallet currency. With 0, the output has no cost.',
			displayOptions,
		},
	],
	prepare: (context, itemIndex) => {
		const text = messageParameter(context, 'message', itemIndex);
		const problem = textProblem(text);
		if (problem !== undefined) return new InputError('node', [{ field: 'message', message: problem }]);
		const perSegment = numberParameter(context, 'pricePerSegment', itemIndex);
		const recipients = numberParameter(context, 'recipients', itemIndex);
		const read = costReport(text, recipients, perSegment === 0 ? undefined : { perSegment });
		if (!read.ok) return new InputError('node', [{ field: fieldNames[read.field], message: read.message }]);
		return { kind: 'task', run: async () => await Promise.resolve({ outcome: 'accepted', output: read.report }) };
	},
};

/** SMS > Estimate Cost: computed locally, without a request. If an item has no price, a hint says why it has no cost. */
export const estimateCost: RunOperation = {
	option: perItem.option,
	fields: perItem.fields,
	run: async (run) => {
		const outputs = await runItems(run, perItem);
		if (outputs.flat().some(({ json }) => json.segment_count !== undefined && json.cost === undefined)) {
			addHint(run.context, 'info', 'Set Price per Segment to get a cost');
		}
		return outputs;
	},
};
