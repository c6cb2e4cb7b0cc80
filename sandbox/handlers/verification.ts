import { randomInt } from 'node:crypto';
import { contract } from '../../shared/contract';
import { planDelivery } from '../simulation/deliveryPlan';
import { magicCodes } from '../magicNumbers';
import { countChargedSegments, priceOf } from '../simulation/price';
import { HttpError } from '../http/httpError';
import { toTimestamp } from '../http/timestamp';
import type { Store } from '../store/store';
import type { Verification } from '../store/verifications';
import { acceptMessage, sendOutput } from './charge';
import { handle, type Handlers } from './handler';
import { newId } from '../store/ids';
import { requireApproved, requireReachable } from './recipient';

/** How long a code is valid, in milliseconds. */
export const CODE_VALID_MS = 600_000;

/** Number of wrong codes that block a verification. */
export const MAX_TRIES = 5;

/** Results of a failed check, with their messages. */
const FAILURES = {
	wrong_code: 'The code is wrong.',
	expired_code: 'The code has expired. Send a new one.',
	too_many_tries: 'Too many wrong codes. Send a new one.',
	used_code: 'The code was already used. Send a new one.',
} as const;

type Failure = keyof typeof FAILURES;

/** Shapes that reject a wrong code with a 422. */
const REJECTING: ReadonlySet<string> = new Set(['refusal', 'success']);

/** Endpoints of one-time codes (docs/api.md#one-time-codes). Codes, limits and responses are the sandbox's choice. */
export const verification: Handlers['verification'] = {
	start: handle(contract.verification.start, ({ phone, sender_id }, { store, clock }) => {
		requireApproved(store, sender_id);
		requireReachable(store, phone);
		const code = newCode();
		const text = `${code} is your verification code. It is valid for 10 minutes.`;
		const segments = countChargedSegments(text);
		const now = clock.now();
		// One transaction: a paid code can always be checked, even if the sandbox is killed in between.
		const { acceptance, verification } = store.transaction(() => {
			const acceptance = acceptMessage(store, {
				id: newId('msg'),
				channel: 'sms',
				recipient: phone,
				senderId: sender_id,
				text,
				priority: true,
				segments,
				cost: segments * priceOf(contract.verification.start),
				createdAt: now,
				transitions: planDelivery(phone, now, true),
			});
			const verification = store.verifications.add({
				phone,
				code,
				message_id: acceptance.message.id,
				expires_at: now + CODE_VALID_MS,
				created_at: now,
			});
			return { acceptance, verification };
		});
		const { id, expires_at } = verification;
		return { ...sendOutput(acceptance), verification_id: id, status: 'pending', expires_at: toTimestamp(expires_at) };
	}),

	check: handle(contract.verification.check, ({ verification_id, code }, { store, clock }) => {
		const found = store.verifications.find(verification_id);
		if (!found) throw new HttpError(404, 'not_found', `There is no verification with the ID ${verification_id}.`);
		const failure = check(store, found, code, clock.now());
		if (failure === undefined) return { verification_id, valid: true, status: 'verified' };
		const message = FAILURES[failure];
		if (REJECTING.has(store.settings.read().verification_shape)) throw new HttpError(422, failure, message);
		const tries_left = MAX_TRIES - (store.verifications.find(verification_id)?.tries ?? 0);
		return { verification_id, valid: false, status: failure, message, tries_left };
	}),
};

function check(store: Store, found: Verification, code: string, now: number): Failure | undefined {
	const { id, tries, status } = found;
	if (status === 'verified') return 'used_code';
	if (status === 'blocked') return 'too_many_tries';
	if (now >= found.expires_at || code === magicCodes.expired) return 'expired_code';
	if (code !== magicCodes.wrong && (code === found.code || code === magicCodes.right)) {
		store.verifications.update({ id, status: 'verified', tries });
		return undefined;
	}
	const blocked = tries + 1 >= MAX_TRIES;
	store.verifications.update({ id, status: blocked ? 'blocked' : 'pending', tries: tries + 1 });
	return blocked ? 'too_many_tries' : 'wrong_code';
}

function newCode(): string {
	const code = randomInt(1_000_000).toString().padStart(6, '0');
	// A random code must not equal a magic one, which behaves differently.
	return Object.values<string>(magicCodes).includes(code) ? newCode() : code;
}
