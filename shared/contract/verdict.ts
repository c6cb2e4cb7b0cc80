import { isObject, type JsonObject } from './find';

const VERDICTS = new Set([
	'valid',
	'verified',
	'is_valid',
	'isvalid',
	'approved',
	'match',
	'matched',
	'matches',
	'correct',
]);
const YES = new Set<unknown>([true, 1, '1', 'true', 'yes', 'valid', 'verified', 'approved', 'correct']);
const NO = new Set<unknown>([false, 0, '0', 'false', 'no']);
const STATUS_YES = /^(verified|valid|approved|correct)$/i;
const STATUS_NO =
	/^(not|un|in)[\s_-]?(verified|valid|correct|approved)$|^(wrong|rejected|denied|expired|failed|mismatch|cancell?ed|blocked)$/i;
const NEGATIVE =
	/\b(not|in(valid|correct)|wrong|expired|fail|reject|mismatch|too many|un(verified|successful)|denied|error)/i;

/**
 * Concludes from the answer to a checked code whether it was right; its shape is not shown in the interface. Taking a
 * wrong code for a right one lets a stranger in, so any no in the body is a no, and what is not clear is not a yes.
 * @returns undefined where the body does not clearly tell
 */
export function readVerdict(body: JsonObject): boolean | undefined {
	const fields = fieldsIn(body);
	const named = fields.filter(([key]) => VERDICTS.has(key.toLowerCase()));
	const statuses = fields.filter(([key]) => key === 'status' || key === 'result').map(([, value]) => value);
	const flags = fields.filter(([key]) => key === 'success' || key === 'ok').map(([, value]) => value);

	const saysNo = [...named.map(([, value]) => value), ...flags].some((value) => NO.has(lower(value)));
	if (saysNo || statuses.some((status) => STATUS_NO.test(String(status)))) return false;
	if (fields.some(([key, value]) => isComplaint(key, value))) return undefined;
	if (named.length > 0) return named.every(([, value]) => YES.has(lower(value))) ? true : undefined;
	if (statuses.some((status) => STATUS_YES.test(String(status)))) return true;
	// Nothing but "it worked": that may be said of the question as well as of the code, unless nothing speaks against it.
	const unclear = statuses.some((status) => !/^(success|ok|completed?)$/i.test(String(status)));
	return flags.length > 0 && !unclear && flags.every((flag) => YES.has(lower(flag))) ? true : undefined;
}

/** Every field of the body and of the objects in it. */
function fieldsIn(body: JsonObject, depth = 0): Array<readonly [string, unknown]> {
	return Object.entries(body).flatMap(([key, value]) =>
		isObject(value) && depth < 4 ? fieldsIn(value, depth + 1) : [[key, value] as const],
	);
}

function isComplaint(key: string, value: unknown): boolean {
	if (['error', 'errors', 'error_code', 'reason'].includes(key))
		return value !== null && value !== '' && value !== false;
	return ['message', 'msg', 'detail', 'code', 'description'].includes(key) && NEGATIVE.test(String(value));
}

function lower(value: unknown): unknown {
	return typeof value === 'string' ? value.trim().toLowerCase() : value;
}
