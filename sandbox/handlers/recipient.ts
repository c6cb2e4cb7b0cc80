import { magicNumbers } from '../magicNumbers';
import { HttpError } from '../http/httpError';
import type { Store } from '../store/store';

/** Why a number cannot receive messages. */
export type BlockReason = 'failed_send' | 'opted_out';

function findBlockReason(store: Store, to: string): BlockReason | undefined {
	return magicBlockReason(to) ?? (store.inbox.isOptedOut(to) ? 'opted_out' : undefined);
}

function magicBlockReason(to: string): BlockReason | undefined {
	if (to === magicNumbers.unreachable) return 'failed_send';
	return to === magicNumbers.optedOut ? 'opted_out' : undefined;
}

/** Finds the numbers that cannot receive messages. A number that occurs twice in the list is returned twice. */
export function findBlockReasons(store: Store, to: readonly string[]): { number: string; reason: BlockReason }[] {
	const optedOut = store.inbox.optedOutOf(to);
	return to.flatMap((number) => {
		const reason = magicBlockReason(number) ?? (optedOut.has(number) ? 'opted_out' : undefined);
		return reason === undefined ? [] : [{ number, reason }];
	});
}

/**
 * Requires that a number can receive messages and calls (docs/api.md#opt-out).
 * @throws HttpError 422 `opted_out`, `failed_send` or, for a magic number, `insufficient_balance`
 */
export function requireReachable(store: Store, to: string): void {
	const reason = findBlockReason(store, to);
	if (reason === 'opted_out') {
		throw new HttpError(422, reason, `${to} has opted out of your messages. Nothing was sent or charged.`);
	}
	if (reason === 'failed_send') {
		throw new HttpError(422, reason, `The gateway cannot reach ${to}: no such number. Nothing was sent or charged.`);
	}
	if (to === magicNumbers.insufficientBalance) {
		const message = 'Insufficient balance. This sandbox number always returns this error. Nothing was sent or charged.';
		throw new HttpError(422, 'insufficient_balance', message);
	}
}

/** Requires an approved sender ID. @throws HttpError 422 `sender_not_approved` */
export function requireApproved(store: Store, name: string): void {
	const status = store.senderIds.find(name)?.status;
	if (status === 'approved') return;
	const approved = store.senderIds.approved().map((senderId) => senderId.name);
	const words = {
		pending: 'still waiting for approval',
		rejected: 'rejected',
		none: 'not a sender ID of your account',
	};
	throw new HttpError(
		422,
		'sender_not_approved',
		`${name} is ${words[status ?? 'none']}. Approved: ${approved.join(', ')}. Nothing was sent or charged.`,
	);
}
