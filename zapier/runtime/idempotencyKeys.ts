import type { Bundle } from 'zapier-platform-core';
import { sendOnceIdempotencyKey, sendOnceRecipientKey, type SendOnceScope } from '../../shared';
import { KEY_SCOPE } from '../fields';
import { invalid } from './inputs';
import { textOption } from './optionFields';

type StepBundle = Pick<Bundle, 'authData' | 'inputData' | 'inputDataRaw'>;

/**
 * Makes the idempotency key of a message. Equal messages of two runs have equal keys.
 * @param to the recipient of a bulk send, in E.164
 * @param nth 2 for the second message of a bulk send to the recipient, and so on
 */
export interface IdempotencyKeyOf {
	(to?: string, nth?: number): Promise<string>;
	/** The Send Once Key of the step. */
	readonly sendOnceKey: string;
}

/**
 * Reads the Key Scope of a step. Zapier gives the app no ID of the Zap, so the action is the smallest scope, as for the
 * keys in Zapier's cache. The API key is no part of it, because it may be rotated between two runs.
 * @param action key of the step
 * @throws InputError for a value that is empty in this run or does not exist
 */
export function readKeyScope(bundle: StepBundle, action: string): SendOnceScope {
	return isForAccount(bundle) ? { kind: 'account' } : { kind: 'place', place: ['zapier', action] };
}

/**
 * Rejects a scope that only a relay has.
 * @throws InputError as {@link readKeyScope}, and if the scope is the whole account
 */
export function requireOwnScope(bundle: StepBundle): void {
	if (!isForAccount(bundle)) return;
	throw invalid(
		KEY_SCOPE,
		'is the whole account, which needs a relay: choose This Action, or connect a relay as Base URL',
	);
}

function isForAccount(bundle: StepBundle): boolean {
	const choice = textOption(bundle, KEY_SCOPE);
	if (choice === 'account') return true;
	if (choice === undefined || choice === 'action') return false;
	throw invalid(KEY_SCOPE, 'is neither action nor account: choose one of the two');
}

/** Makes the idempotency keys of a step from its Send Once Key. */
export function idempotencyKeys(scope: SendOnceScope, sendOnceKey: string): IdempotencyKeyOf {
	const keyOf = async (to?: string, nth?: number) =>
		to === undefined
			? await sendOnceIdempotencyKey(scope, sendOnceKey)
			: await sendOnceRecipientKey(scope, sendOnceKey, to, nth);
	return Object.assign(keyOf, { sendOnceKey });
}
