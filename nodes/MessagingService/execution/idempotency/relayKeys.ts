import type { IExecuteFunctions } from 'n8n-workflow';
import {
	recipientsOf,
	sendOnceIdempotencyKey,
	sendOnceRecipientKey,
	type Batch,
	type CallOptions,
	type SendOnceScope,
} from '../../../../shared';
import type { Call, Run } from '../operation';
import { LEDGER_LIMITS } from './ledger';
import { nameOfRecipient, nameOf } from './messageNames';

/** How long a relay recognizes a repeated call of an MCP client, in seconds. This process does it as long. */
const MCP_MAX_AGE_SECONDS = LEDGER_LIMITS.recentMs / 1_000;

/** The idempotency keys of a request to a relay. */
export interface RelayKeys {
	readonly options: Pick<
		CallOptions,
		'idempotencyKey' | 'recipientKey' | 'idempotencyKeys' | 'keyMaxAgeSeconds' | 'movedFrom'
	>;
	/**
	 * The user's Send Once Key, or the message itself: its place in the execution, or its content. Only the first one
	 * holds in other executions.
	 */
	readonly madeFrom: 'send once key' | 'place' | 'content';
}

/** Returns the place of a node, for the Send Once Keys of This Node. It survives a new name of the node. */
export function placeOfNode(context: IExecuteFunctions): SendOnceScope {
	const { id, name } = context.getNode();
	const place = ['n8n', context.getInstanceId(), String(context.getWorkflow().id), id || name];
	return { kind: 'place', place };
}

/**
 * Makes the key of a call, by its Send Once Key. Without one, another process of the same execution makes the same key.
 * @param place of the call in its run
 * @returns undefined without a relay, and if nothing distinguishes the message from others
 */
export async function relayKeys(run: Run, call: Call, place: number | string): Promise<RelayKeys | undefined> {
	if (!run.relay || call.endpoint.repeat === 'safe') return undefined;
	const { sendOnceKey, given } = call;
	const movedFrom = given && { movedFrom: timeOf(given) };
	if (sendOnceKey !== undefined) {
		const { scope } = run.relay;
		const idempotencyKey = await sendOnceIdempotencyKey(scope, sendOnceKey);
		const to = recipientOfCall(call);
		const recipientKey = to === undefined ? undefined : await sendOnceRecipientKey(scope, sendOnceKey, to);
		return { options: { idempotencyKey, recipientKey, ...movedFrom }, madeFrom: 'send once key' };
	}
	const messages = scopeOfMessages(run);
	if (!messages) return undefined;
	const idempotencyKey = await sendOnceIdempotencyKey(messages, nameOf(run, call, place));
	return { options: { idempotencyKey, ...maxAgeOf(run), ...movedFrom }, madeFrom: run.byAgent ? 'content' : 'place' };
}

/** The time that the user gave, if the Sending Hours moved it. */
function timeOf({ input }: Pick<Call, 'input'>): string {
	return typeof input.schedule_at === 'string' ? input.schedule_at : 'now';
}

/** The only recipient of a call. An entry of a bulk send to a number has a key by the same recipient. */
function recipientOfCall({ input }: Call): string | undefined {
	const [to, ...others] = recipientsOf(input);
	return others.length === 0 ? to : undefined;
}

/**
 * Makes a key for each recipient of a bulk send. A recipient keeps it however the recipients are divided into requests.
 * @param sendOnceKeyOf returns the Send Once Key of an item
 * @param movedFrom the time that the items of the batch gave, or `now`, if the Sending Hours moved it
 */
export async function relayKeysOfBatch(
	run: Run,
	{ input, recipients }: Batch,
	sendOnceKeyOf: (item: number) => string | undefined,
	movedFrom: string | undefined,
): Promise<RelayKeys | undefined> {
	if (!run.relay) return undefined;
	const { scope } = run.relay;
	const messages = scopeOfMessages(run);
	let madeFrom: RelayKeys['madeFrom'] = run.byAgent ? 'content' : 'place';
	const idempotencyKeys: string[] = [];
	for (const recipient of recipients) {
		const key = sendOnceKeyOf(recipient.source);
		if (key !== undefined) {
			madeFrom = 'send once key';
			idempotencyKeys.push(await sendOnceRecipientKey(scope, key, recipient.to));
		} else if (messages) {
			idempotencyKeys.push(await sendOnceIdempotencyKey(messages, nameOfRecipient(run, input, recipient)));
		} else return undefined;
	}
	// A Send Once Key has no maximum age.
	const maxAge = madeFrom === 'send once key' ? {} : maxAgeOf(run);
	return { options: { idempotencyKeys, movedFrom, ...maxAge }, madeFrom };
}

/** A message of an execution belongs to it for good. */
function maxAgeOf({ executionId }: Run): Pick<CallOptions, 'keyMaxAgeSeconds'> {
	return executionId ? {} : { keyMaxAgeSeconds: MCP_MAX_AGE_SECONDS };
}

/** Where the name of a message is unique. Undefined if two messages of a caller without an execution may share one. */
function scopeOfMessages({ context, byAgent, executionId }: Run): SendOnceScope | undefined {
	const instance = context.getInstanceId();
	if (executionId) return { kind: 'place', place: ['n8n execution', instance, executionId] };
	if (!byAgent) return undefined;
	return { kind: 'place', place: ['n8n call', instance] };
}
