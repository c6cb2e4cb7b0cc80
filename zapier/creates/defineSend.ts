import {
	defineCreate,
	type Bundle,
	type PlainInputField,
	type PlainOutputField,
	type ZObject,
} from 'zapier-platform-core';
import {
	contract,
	DRY_RUN,
	predictCall,
	predictSend,
	textWarnings,
	withSentFields,
	type CallOptions,
	type Client,
	type InputOf,
	type Outcome,
} from '../../shared';
import {
	ADVANCED,
	callPriceField,
	dryRunField,
	keyScopeFields,
	segmentPriceField,
	SEND_THROTTLE,
	SENDING_HOURS,
	sendOnceKeyField,
	type Throttle,
} from '../fields';
import {
	dryRunOutput,
	dryRunPrice,
	isDryRun,
	predictedEnd,
	predictedSkip,
	readAccount,
	spellingOutput,
} from '../runtime/dryRun';
import { inWordsOfKey } from '../runtime/earlierRun';
import type { Output } from '../runtime/intent';
import { runStep } from '../runtime/perform';
import { toOutput } from '../runtime/results';
import { findEarlierRun, sendOnce } from '../runtime/sendOnce';

/** The endpoints that send one message to one recipient. */
type SendEndpoint =
	| typeof contract.sms.send
	| typeof contract.whatsapp.send
	| typeof contract.email.send
	| typeof contract.voice.send
	| typeof contract.verification.start;

interface CallPlan {
	/** Makes the call. */
	readonly call: (client: Client, options: CallOptions | undefined) => Promise<Outcome<object>>;
	/** The time that the user chose, as ISO text; undefined for now. */
	readonly plannedAt?: string;
	/** The same as the service's `schedule_at`, or `now`, if the Sending Hours moved it. */
	readonly movedFrom?: string;
	/** Output fields beside those of the service. */
	readonly about: Output;
}

/** How a run sends its message. */
export type SendPlan =
	| CallPlan
	/** Nothing is sent, and no key is claimed. */
	| { readonly skipped: Output };

/** Input of {@link defineSend}. */
interface Send<Key extends string, FieldKey extends string, E extends SendEndpoint> {
	readonly key: Key;
	readonly noun: string;
	readonly display: { readonly label: string; readonly description: string };
	readonly endpoint: E;
	/** Input fields of the step, without the Send Once Key. */
	readonly inputFields: ReadonlyArray<PlainInputField & { readonly key: FieldKey }>;
	/** Reads the fields. @throws InputError for a field that cannot be read */
	readonly readInput: (bundle: Bundle<Record<FieldKey, unknown>>) => InputOf<E>;
	/**
	 * Decides how this run sends the input. Without it, with one call of the endpoint.
	 * @throws InputError for a field that cannot be read
	 */
	readonly plan?: (bundle: Bundle<Record<FieldKey, unknown>>, input: InputOf<E>) => SendPlan | undefined;
	/** Output fields of the step, without Already Sent. */
	readonly outputFields?: readonly PlainOutputField[];
	/** Sample values that the contract's example lacks. */
	readonly sample?: Readonly<Record<string, unknown>>;
	readonly throttle?: Throttle;
	/** Whether a rerun hours later would be useless, as for a one-time code. */
	readonly neverLate?: boolean;
}

/**
 * Output fields of a message.
 * @param balanceLabel label of the wallet's balance after the charge
 */
export function messageOutput(balanceLabel = 'Balance After Sending'): PlainOutputField[] {
	return [
		{ key: 'message_id', label: 'Message ID', type: 'string' },
		{ key: 'status', label: 'Status', type: 'string' },
		{ key: 'cost', label: 'Cost', type: 'number' },
		{ key: 'billed_via', label: 'Billed Via', type: 'string' },
		{ key: 'balance', label: balanceLabel, type: 'number' },
	];
}

const OUTCOME = { key: 'outcome', label: 'Outcome', type: 'string' } satisfies PlainOutputField;

/** Output fields about the message itself, which the app adds if the service leaves them out. */
const SENT_FIELDS = [
	{ key: 'to', label: 'To', type: 'string' },
	{ key: 'sender_id', label: 'Sender ID', type: 'string' },
	{ key: 'segment_count', label: 'Segments', type: 'integer' },
] satisfies PlainOutputField[];

/** Output fields of the text as the recipient reads it. */
const TEXT_FIELDS = [
	{ key: 'subject', label: 'Subject', type: 'string' },
	{ key: 'message', label: 'Message', type: 'string' },
] satisfies PlainOutputField[];

/**
 * Defines a step that sends one message to one recipient. Adds the Send Once Key. The key of the step separates its Send
 * Once Keys from those of other steps.
 */
export function defineSend<const Key extends string, FieldKey extends string, E extends SendEndpoint>(
	step: Send<Key, FieldKey, E>,
) {
	const { key, noun, display, endpoint, throttle = SEND_THROTTLE, neverLate } = step;
	const isSms = endpoint.id === contract.sms.send.id;
	const priceField = isSms ? segmentPriceField : endpoint.id === contract.voice.send.id ? callPriceField : undefined;
	const inputFields: PlainInputField[] = [
		...step.inputFields,
		sendOnceKeyField,
		...keyScopeFields,
		dryRunField,
		...(priceField ? [priceField] : []),
	];
	const example = withSentFields(endpoint, endpoint.example.input, endpoint.example.output);
	const own = step.outputFields ?? messageOutput();
	const outputFields: PlainOutputField[] = [
		...own,
		...SENT_FIELDS.filter(({ key }) => key in example),
		{ key: 'already_sent', label: 'Already Sent', type: 'boolean' },
		...(own.some(({ key }) => key === OUTCOME.key) ? [] : [OUTCOME]),
		...TEXT_FIELDS.filter(({ key }) => key in endpoint.example.input),
		...dryRunOutput,
		...(isSms ? spellingOutput : []),
	];
	const intentOf = (input: InputOf<E>, plannedAt: string | undefined) => ({
		action: key,
		recipients: [recipientOf(input)],
		content: [sortedEntries(input), plannedAt],
	});
	const predict = async (z: ZObject, bundle: Bundle, input: InputOf<E>, { about, plannedAt }: CallPlan) => {
		const price = priceField && dryRunPrice(bundle, priceField);
		const earlier = await findEarlierRun(z, bundle, intentOf(input, plannedAt));
		if (earlier.kind === 'accepted')
			return withSentFields(endpoint, input, { ...predictedSkip(earlier.output), ...textsOf(input) });
		const predicted = predictCall(endpoint, input);
		if (predicted.outcome !== 'accepted') throw predicted.error;
		const sent = predictSend(endpoint, input, price);
		const account = await readAccount(z, bundle, sent.sender_id);
		const end = predictedEnd(bundle, account, sent.cost, earlier, warningsOf(input));
		return { ...sent, ...about, dry_run: true, outcome: 'would_send', already_sent: false, ...end };
	};
	const send = async (z: ZObject, bundle: Bundle) => {
		const dryRun = isDryRun(bundle);
		const input = step.readInput(bundle);
		const plan: SendPlan = step.plan?.(bundle, input) ?? {
			call: async (client: Client, options: CallOptions | undefined) => await client.call(endpoint, input, options),
			about: {},
		};
		if ('skipped' in plan) {
			const output = { to: recipientOf(input), ...plan.skipped, already_sent: false, dry_run: dryRun };
			const predicted = { ...output, ...textsOf(input), outcome: 'would_skip', note: DRY_RUN };
			return toOutput(outputFields, dryRun ? predicted : { ...output, ...textsOf(input) });
		}
		if (dryRun) return toOutput(outputFields, await predict(z, bundle, input, plan));
		const sent = await sendOnce(z, bundle, {
			...intentOf(input, plan.plannedAt),
			send: async (client, keyOf) => {
				const to = recipientOf(input);
				// An entry of a bulk send to this recipient has the same recipient key.
				const { movedFrom } = plan;
				const options = keyOf && { idempotencyKey: await keyOf(), recipientKey: await keyOf(to), movedFrom };
				const requested = inWordsOfKey(await plan.call(client, options), keyOf, [to]);
				if (requested.outcome !== 'accepted') throw requested.error;
				const isReplay = requested.relay?.replayed ?? false;
				// The first message leaves at a time of its own, which the relay does not know.
				const about = isReplay && movedFrom !== undefined ? {} : plan.about;
				return { output: { ...withSentFields(endpoint, input, requested.output), ...about }, isReplay };
			},
			// Zapier's store gets no number. A later run gets this output only if it has the same recipient.
			keep: (output) => Object.fromEntries(Object.entries(output).filter(([field]) => field !== 'to')),
		});
		const note = warningsOf(input).join(' ') || null;
		const output = {
			...withSentFields(endpoint, input, sent),
			...textsOf(input),
			outcome: 'accepted',
			dry_run: false,
			note,
		};
		return toOutput(outputFields, output);
	};
	return defineCreate({
		key,
		noun,
		display,
		operation: {
			inputFields,
			inputFieldGroups: [SENDING_HOURS, ADVANCED].filter((group) =>
				inputFields.some((field) => field.group === group.key),
			),
			perform: async (z: ZObject, bundle: Bundle) =>
				await runStep(z, bundle, inputFields, async () => await send(z, bundle), { neverLate }),
			throttle,
			sample: toOutput(outputFields, {
				...example,
				...textsOf(endpoint.example.input),
				...step.sample,
				already_sent: false,
				outcome: 'accepted',
				dry_run: false,
			}),
			outputFields,
		},
	});
}

/** The words of a message. A one-time code has none, because the service writes them. */
function textsOf(input: InputOf<SendEndpoint>): Readonly<Record<string, string>> {
	if (!('message' in input)) return {};
	const { message } = input;
	return 'subject' in input ? { subject: input.subject, message } : { message };
}

/** Warnings about the words of a message, such as that a value may be missing. */
function warningsOf(input: InputOf<SendEndpoint>): string[] {
	return textWarnings([{ text: Object.values(textsOf(input)).join('\n') }]);
}

/** The fields of an input in the order of their names, so that equal inputs have equal digests. */
function sortedEntries(input: object): ReadonlyArray<[string, unknown]> {
	return Object.entries(input).sort(([a], [b]) => (a < b ? -1 : 1));
}

function recipientOf(input: InputOf<SendEndpoint>): string {
	return 'phone' in input ? input.phone : input.to;
}
