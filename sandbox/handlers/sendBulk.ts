import { contract } from '../../shared/contract';
import { planBatch } from '../simulation/deliveryPlan';
import { magicNumbers } from '../magicNumbers';
import { countChargedSegments, priceOf } from '../simulation/price';
import { HttpError } from '../http/httpError';
import { fromTimestamp } from '../http/timestamp';
import { repeatInSlices, ROWS_PER_STEP } from '../performance';
import type { Services } from '../services';
import { type Batch, batchMessageId } from '../store/batches';
import { toCurrency } from '../store/money';
import { parseBulk, recipientSlices } from './bulkInput';
import { insufficient } from './charge';
import { handle } from './handler';
import { newId } from '../store/ids';
import { findBlockReasons, requireApproved, requireReachable } from './recipient';

/** The response to a bulk send with more recipients has no message IDs. */
export const MAX_RESULTS = 1000;

/**
 * POST /sms/bulk (docs/api.md#send-a-bulk-sms). The response and the handling of opted-out numbers are the sandbox's
 * choice.
 */
export const sendBulk = handle(
	contract.sms.sendBulk,
	async ({ to, sender_id, message, priority = false, schedule_at }, services) => {
		const { store, clock } = services;
		requireApproved(store, sender_id);
		const now = clock.now();
		const scheduledAt = schedule_at === undefined ? null : fromTimestamp(schedule_at);
		if (scheduledAt !== null && scheduledAt < now) {
			throw new HttpError(422, 'validation', `schedule_at ${schedule_at} is in the past. Times are in UTC.`);
		}
		const { recipients, skipped } = await choose(to, services);
		const segments = countChargedSegments(message);
		const id = newId('bulk');
		await receive(id, recipients, services);
		const result = store.batches.accept({
			id,
			sender_id,
			text: message,
			priority: priority ? 1 : 0,
			segments,
			cost: segments * priceOf(contract.sms.sendBulk),
			total: recipients.length,
			scheduled_at: scheduledAt,
			created_at: now,
		});
		if (!result.accepted) {
			store.batches.discard(id);
			throw insufficient('The bulk send', result.needed, result.available, result.currency);
		}
		const { batch, charged, balance } = result;
		if (batch.total <= MAX_RESULTS) await makeAll(id, services);
		return {
			batch_id: batch.id,
			status: 'queued',
			total: to.length,
			queued: batch.total,
			skipped: skipped.length,
			cost: toCurrency(charged),
			billed_via: billedVia(batch),
			balance: toCurrency(balance),
			...(schedule_at !== undefined && { schedule_at }),
			...(batch.total <= MAX_RESULTS && { results: results(batch.id, recipients, skipped) }),
		};
	},
	parseBulk,
);

/** Splits the numbers into recipients and skipped ones. @throws HttpError if the whole send is rejected */
async function choose(
	to: readonly string[],
	services: Services,
): Promise<{ recipients: readonly string[]; skipped: readonly string[] }> {
	const { store } = services;
	if (to.includes(magicNumbers.insufficientBalance)) requireReachable(store, magicNumbers.insufficientBalance);
	const blocked: ReturnType<typeof findBlockReasons> = [];
	for await (const { slice } of recipientSlices(to, services)) blocked.push(...findBlockReasons(store, slice));
	if (blocked.length > 0 && store.settings.read().bulk_opt_outs === 'skip') {
		const out = new Set(blocked.map(({ number }) => number));
		const recipients: string[] = [];
		for await (const { slice } of recipientSlices(to, services))
			recipients.push(...slice.filter((one) => !out.has(one)));
		if (recipients.length > 0) return { recipients, skipped: blocked.map(({ number }) => number) };
	}
	const [first, ...others] = blocked;
	if (first === undefined) return { recipients: to, skipped: [] };
	if (others.length === 0) requireReachable(store, first.number);
	const code = blocked.some(({ reason }) => reason === 'opted_out') ? 'opted_out' : 'failed_send';
	const some = blocked.slice(0, 10).map(({ number }) => number);
	const more = blocked.length > 10 ? ` and ${blocked.length - 10} more` : '';
	const why = code === 'opted_out' ? 'have opted out of your messages' : 'cannot be reached';
	throw new HttpError(422, code, `${some.join(', ')}${more} ${why}. Nothing was sent or charged.`);
}

/** Stores the recipients. If a slice fails, all of them are discarded. */
async function receive(id: string, recipients: readonly string[], services: Services): Promise<void> {
	const { batches } = services.store;
	try {
		for await (const { first, slice } of recipientSlices(recipients, services)) batches.receive(id, first, slice);
	} catch (error) {
		batches.discard(id);
		throw error;
	}
}

/** Creates the messages of a short batch before the response, so that the client can use their IDs at once. */
async function makeAll(id: string, { store }: Services): Promise<void> {
	await repeatInSlices(() => store.batches.makeNext(planBatch, ROWS_PER_STEP, id));
}

function results(batchId: string, recipients: readonly string[], skipped: readonly string[]) {
	return [
		...recipients.map((to, position) => ({ to, message_id: batchMessageId(batchId, position), status: 'queued' })),
		...skipped.map((to) => ({ to, message_id: null, status: 'skipped' })),
	];
}

function billedVia({ paid_by_packages, total }: Batch): string {
	const byPackages = paid_by_packages.reduce((sum, { count }) => sum + count, 0);
	if (byPackages === 0) return 'wallet';
	return byPackages === total ? 'package' : 'mixed';
}
