import { type IPollFunctions, NodeOperationError } from 'n8n-workflow';
import { z } from 'zod/v4';

const amount = z.number().catch(0);
const settings = z.object({
	triggerOn: z.array(z.enum(['lowBalance', 'newTransaction', 'topUpCompleted'])).catch([]),
	thresholdUnit: z.enum(['currency', 'messages']).catch('currency'),
	threshold: amount,
	messagesLeft: amount,
	pricePerSegment: amount,
	// An expression may give text, with commas between several types.
	onlyTypes: z
		.union([z.string().transform((typed) => typed.split(',')), z.array(z.string())])
		.catch([])
		.transform((types) => types.map((type) => type.trim().toLowerCase()).filter((type) => type !== '')),
});

/** The threshold of the low-balance event. */
export interface Threshold {
	/** In currency units. A balance below it is low. */
	readonly balance: number;
	/** The price, if the threshold is in messages. */
	readonly pricePerSegment: number | undefined;
}

/** The settings of a wallet trigger. */
export interface WalletSettings {
	readonly triggerOn: ReadonlyArray<'lowBalance' | 'newTransaction' | 'topUpCompleted'>;
	/** Only if the user chose Low Balance. */
	readonly threshold: Threshold | undefined;
	/** Types of transactions that start the workflow: choices, or the service's own words in lower case; empty = all. */
	readonly onlyTypes: readonly string[];
}

/**
 * Reads the wallet trigger's fields.
 * @throws NodeOperationError with the field to correct
 */
export function readWalletSettings(context: IPollFunctions): WalletSettings {
	const read = (name: string): unknown => context.getNodeParameter(name, null);
	const options: unknown = read('options');
	const { triggerOn, thresholdUnit, threshold, messagesLeft, pricePerSegment, onlyTypes } = settings.parse({
		triggerOn: read('triggerOn'),
		thresholdUnit: read('thresholdUnit'),
		threshold: read('threshold'),
		messagesLeft: read('messagesLeft'),
		pricePerSegment: read('pricePerSegment'),
		onlyTypes: Reflect.get(Object(options), 'onlyTypes'),
	});
	const fail = (message: string): never => {
		throw new NodeOperationError(context.getNode(), message);
	};
	if (triggerOn.length === 0) fail('Trigger On is empty: choose at least one event');
	if (!triggerOn.includes('lowBalance')) return { triggerOn, threshold: undefined, onlyTypes };
	if (thresholdUnit === 'currency') {
		if (threshold <= 0) fail('Balance Below is not above zero: enter an amount in the currency of the wallet');
		return { triggerOn, threshold: { balance: threshold, pricePerSegment: undefined }, onlyTypes };
	}
	if (messagesLeft <= 0) fail('Messages Left Below is not above zero: enter a number of messages');
	if (pricePerSegment <= 0)
		fail('Price per Segment is not above zero: enter the price that your account pays for one, e.g. 0.05');
	return { triggerOn, threshold: { balance: messagesLeft * pricePerSegment, pricePerSegment }, onlyTypes };
}
