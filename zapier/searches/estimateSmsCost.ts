import {
	defineInputFields,
	defineSearch,
	type Bundle,
	type PlainInputField,
	type PlainOutputField,
	type SearchPerform,
	type ZObject,
} from 'zapier-platform-core';
import { costReport, countSegments, textProblem, type Price } from '../../shared';
import { invalid, messageInput, textInput } from '../runtime/inputs';
import { numberOption, textOption } from '../runtime/optionFields';
import { runReading } from '../runtime/perform';
import { toOutput } from '../runtime/results';

const priceFields = {
	per_segment: [
		{
			key: 'price_per_segment',
			label: 'Price per Segment',
			type: 'number',
			required: true,
			helpText: 'Price that your account pays for one segment, for example `0.05`.',
		},
	],
	earlier_send: [
		{
			key: 'earlier_message',
			label: 'Earlier Message',
			type: 'text',
			required: true,
			helpText: 'The text of a message that an earlier step sent on the same route.',
		},
		{
			key: 'earlier_cost',
			label: 'Earlier Cost',
			type: 'number',
			required: true,
			helpText: 'The **Cost** that the earlier step returned.',
		},
	],
} satisfies Readonly<Record<string, PlainInputField[]>>;

const inputFields = defineInputFields([
	{
		key: 'message',
		label: 'Message',
		type: 'text',
		required: true,
		helpText: 'The message to estimate. This step sends nothing and is free.',
	},
	{
		key: 'recipients',
		label: 'Number of Recipients',
		type: 'integer',
		required: false,
		default: '1',
		helpText: 'How many people get the message. Leave empty for 1.',
	},
	{
		key: 'price_from',
		label: 'Price From',
		type: 'string',
		required: false,
		choices: { per_segment: 'A Price per Segment', earlier_send: 'A Message Sent Before' },
		altersDynamicFields: true,
		helpText:
			'Where the price comes from. Leave empty to count segments only: **Cost** is then empty, and **Cost Basis** says why.',
	},
	(_z: ZObject, { inputData }: Bundle<{ price_from?: string }>): PlainInputField[] =>
		inputData.price_from === 'per_segment' || inputData.price_from === 'earlier_send'
			? priceFields[inputData.price_from]
			: [],
]);

const outputFields = [
	{ key: 'segment_count', label: 'Segments per Recipient', type: 'integer' },
	{ key: 'recipients', label: 'Recipients', type: 'integer' },
	{ key: 'total_segments', label: 'Total Segments', type: 'integer' },
	{ key: 'cost', label: 'Cost', type: 'number' },
	{ key: 'price_per_segment', label: 'Price per Segment', type: 'number' },
	{ key: 'cost_basis', label: 'Cost Basis', type: 'string' },
	{ key: 'encoding', label: 'Encoding', type: 'string' },
	{ key: 'characters', label: 'Characters', type: 'integer' },
	{ key: 'remaining_characters', label: 'Remaining Characters', type: 'integer' },
	{ key: 'non_gsm_characters', label: 'Non-GSM Characters', type: 'string' },
	{ key: 'cheaper_message', label: 'Cheaper Spelling', type: 'string' },
	{ key: 'segments_saved', label: 'Segments Saved', type: 'integer' },
	{ key: 'plain_letters_message', label: 'Plain Letters', type: 'string' },
	{ key: 'plain_letters_segments_saved', label: 'Segments Saved by Plain Letters', type: 'integer' },
	{ key: 'plain_letters_cost', label: 'Cost in Plain Letters', type: 'number' },
] satisfies PlainOutputField[];

/** Field of the step for each parameter of `costReport`. */
const FIELD_OF = {
	recipients: 'recipients',
	perSegment: 'price_per_segment',
	cost: 'earlier_cost',
	segmentCount: 'earlier_message',
};

const perform = (async (z, bundle) =>
	await runReading(z, bundle, [...inputFields, ...Object.values(priceFields).flat()], () => {
		const text = messageInput(bundle.inputData.message);
		if (text === '') throw invalid('message', 'is empty: enter the message to estimate');
		const problem = textProblem(text);
		if (problem !== undefined) throw invalid('message', problem);
		const recipients = numberOption(bundle, 'recipients') ?? 1;
		const read = costReport(text, recipients, readPrice(bundle));
		if (!read.ok) throw invalid(FIELD_OF[read.field], read.message);
		return [toOutput(outputFields, { ...read.report })];
	})) satisfies SearchPerform<typeof inputFields>;

function readPrice(bundle: Bundle): Price | undefined {
	const { inputData } = bundle;
	switch (textOption(bundle, 'price_from')) {
		case 'per_segment':
			return { perSegment: textInput(inputData.price_per_segment) };
		case 'earlier_send': {
			const { segment_count } = countSegments(messageInput(inputData.earlier_message));
			return { cost: textInput(inputData.earlier_cost), segmentCount: segment_count };
		}
		case undefined:
			return undefined;
		default:
			throw invalid('price_from', 'is not one of its choices: choose one, or clear the field');
	}
}

/** Estimate SMS Cost: counts the segments of a message and estimates its cost. Makes no request. */
export const estimateSmsCost = defineSearch({
	key: 'estimate_sms_cost',
	noun: 'Estimate',
	display: {
		label: 'Estimate SMS Cost',
		description: 'Finds the number of segments in a message, its estimated cost, and a cheaper spelling.',
	},
	operation: {
		inputFields,
		perform,
		sample: {
			segment_count: 1,
			recipients: 200,
			total_segments: 200,
			cost: 10,
			price_per_segment: 0.05,
			cost_basis: 'Based on a price of 0.05 per segment that you gave.',
			encoding: 'GSM-7',
			characters: 25,
			remaining_characters: 135,
			non_gsm_characters: '',
			cheaper_message: null,
			segments_saved: 0,
			plain_letters_message: null,
			plain_letters_segments_saved: 0,
			plain_letters_cost: null,
		},
		outputFields,
	},
});
