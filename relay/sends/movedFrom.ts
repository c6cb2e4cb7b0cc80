import { contract } from '../../shared/index';
import type { GatewayCall } from './call';

/** The header `Relay-Moved-From`: `now`, or a time as in `schedule_at`. */
export const MOVED_FROM = /^(now|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)$/;

/** The parts of a call that its key belongs to. */
export type GivenCall = Pick<GatewayCall, 'method' | 'path' | 'json' | 'input'>;

/**
 * The call as its sender gave it, if something else moved its time: a later call is then the same message, although it
 * moves to another time. The API cannot schedule a single send (docs/api.md#send-a-bulk-sms). So a bulk send to one with
 * one key, moved from now, was given as a single send.
 * @param movedFrom the header `Relay-Moved-From`. It is only compared, so any value is safe
 */
export function givenCall(call: GatewayCall, movedFrom: string | undefined): GivenCall {
	const { endpoint, method, path, input } = call;
	const { schedule_at, ...now } = input;
	if (movedFrom === undefined || schedule_at === undefined || endpoint.id !== contract.sms.sendBulk.id) return call;
	const given = (fields: GatewayCall['input'], to = path): GivenCall => ({
		...{ method, path: to, input: fields },
		json: { value: fields },
	});
	if (movedFrom !== 'now') return given({ ...now, schedule_at: movedFrom });
	const [only, ...others] = Array.isArray(now.to) ? (now.to as unknown[]) : [];
	const isOne = only !== undefined && others.length === 0 && !Object.hasOwn(now, 'idempotency_keys');
	if (!isOne) return given(now);
	return given({ ...now, to: only }, path.replace(contract.sms.sendBulk.path, contract.sms.send.path));
}
