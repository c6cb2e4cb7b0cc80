import { contract } from '../../shared/contract';
import { planBatch } from '../behaviour/deliveryPlan';
import { magicNumbers } from '../behaviour/magicNumbers';
import { countSegments, PRICE_PER_SEGMENT } from '../behaviour/price';
import { Refusal } from '../http/refusal';
import { fromTimestamp } from '../http/timestamp';
import type { Batch } from '../store/batches';
import { batchMessageId } from '../store/batches';
import { toCurrency } from '../store/money';
import type { Store } from '../store/store';
import { insufficient } from './charge';
import { handle } from './handler';
import { newId } from './ids';
import { findObstacle, requireApproved, requireReachable } from './recipient';

/** Most recipients of one bulk send. */
export const MAX_RECIPIENTS = 100_000;

/** A bulk send to more recipients answers without their message ids. */
export const MAX_RESULTS = 1000;

/** POST /sms/bulk (service.md, Bulk-send request; its response and what opted-out numbers do are the sandbox's choice). */
export const sendBulk = handle(
	contract.sms.sendBulk,
	({ to, sender_id, message, priority = false, schedule_at }, { store, clock }) => {
		requireApproved(store, sender_id);
		if (to.length > MAX_RECIPIENTS) {
			throw new Refusal(
				422,
				'validation',
				`to has ${to.length} numbers, the most that one call takes is ${MAX_RECIPIENTS}.`,
			);
		}
		const now = clock.now();
		const scheduledAt = schedule_at === undefined ? null : fromTimestamp(schedule_at);
		if (scheduledAt !== null && scheduledAt < now) {
			throw new Refusal(422, 'validation', `schedule_at ${schedule_at} is past: it is taken as UTC.`);
		}
		const { recipients, skipped } = choose(store, to);
		const segments = countSegments(message);
		const result = store.batches.accept({
			id: newId('bulk'),
			sender_id,
			text: message,
			priority: priority ? 1 : 0,
			segments,
			cost: segments * PRICE_PER_SEGMENT,
			recipients,
			scheduled_at: scheduledAt,
			created_at: now,
		});
		if (!result.accepted) throw insufficient('The bulk', result.needed, result.available, result.currency);
		const { batch, charged, balance } = result;
		if (batch.total <= MAX_RESULTS) makeAll(store);
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
);

function choose(store: Store, to: readonly string[]): { recipients: readonly string[]; skipped: readonly string[] } {
	if (to.includes(magicNumbers.insufficientBalance)) requireReachable(store, magicNumbers.insufficientBalance);
	const obstructed = to.filter((number) => findObstacle(store, number) !== undefined);
	if (obstructed.length > 0 && store.settings.read().bulk_opt_outs === 'skip') {
		const out = new Set(obstructed);
		const recipients = to.filter((number) => !out.has(number));
		if (recipients.length > 0) return { recipients, skipped: obstructed };
	}
	const [first, ...others] = obstructed;
	if (first === undefined) return { recipients: to, skipped: [] };
	if (others.length === 0) requireReachable(store, first);
	const code = obstructed.some((number) => findObstacle(store, number) === 'opted_out') ? 'opted_out' : 'failed_send';
	const some = obstructed.slice(0, 10).join(', ');
	const more = obstructed.length > 10 ? ` and ${obstructed.length - 10} more` : '';
	const why = code === 'opted_out' ? 'have opted out of your texts' : 'cannot be reached';
	throw new Refusal(422, code, `${some}${more} ${why}. Nothing was sent or charged.`);
}

/** Makes the messages of a short batch before it is answered, so that their ids can be asked for at once. */
function makeAll(store: Store): void {
	while (store.batches.makeNext(planBatch, MAX_RESULTS));
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
