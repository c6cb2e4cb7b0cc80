import { costReport, InputError } from '../../../../shared';
import type { Operation } from '../../runtime/operation';
import { messageParameter, numberParameter } from '../../runtime/parameters';
import { shownFor } from '../fields';

const displayOptions = shownFor('text', 'estimateCost');
const fieldNames = {
	recipients: 'recipients',
	perSegment: 'pricePerSegment',
	cost: 'cost',
	segmentCount: 'segmentCount',
};

/** Text > Estimate Cost: here, without a call. */
export const estimateCost: Operation = {
	option: {
		name: 'Estimate Cost',
		value: 'estimateCost',
		action: 'Estimate cost of text',
		description: 'Tell how many messages a text is charged as and what it would cost, here and for free',
	},
	fields: [
		{
			displayName: 'Message',
			name: 'message',
			type: 'string',
			typeOptions: { rows: 4 },
			default: '',
			required: true,
			placeholder: 'e.g. We are open from 8 to 18',
			description: 'The text to count and price; nothing is sent',
			displayOptions,
		},
		{
			displayName: 'Recipients',
			name: 'recipients',
			type: 'number',
			typeOptions: { minValue: 0, numberPrecision: 0 },
			default: 1,
			description: 'How many people the text goes to',
			displayOptions,
		},
		{
			displayName: 'Price per Segment',
			name: 'pricePerSegment',
			type: 'number',
			typeOptions: { minValue: 0, numberPrecision: 4 },
			default: 0,
			description: 'What your account pays for one SMS; a text of several parts is charged as several',
			displayOptions,
		},
	],
	labels: { message: 'Message', recipients: 'Recipients', pricePerSegment: 'Price per Segment' },
	prepare: (context, itemIndex) => {
		const text = messageParameter(context, 'message', itemIndex);
		const perSegment = numberParameter(context, 'pricePerSegment', itemIndex);
		const recipients = numberParameter(context, 'recipients', itemIndex);
		const read = costReport(text, recipients, perSegment === 0 ? undefined : { perSegment });
		if (!read.ok) return new InputError('node', [{ field: fieldNames[read.field], message: read.message }]);
		return { kind: 'task', run: async () => await Promise.resolve({ outcome: 'accepted', output: read.report }) };
	},
};
