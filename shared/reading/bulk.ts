import { isObject, type JsonObject } from '../contract/find';
import { isNothing, kindOfKey, meaningOf, wordsOf } from '../contract/words';
import { bulkResultAliases, isNumberName, NUMBER_LISTS } from '../contract/sms';
import { numberFinder } from '../phone/numberFinder';
import { isNumberKey, isNumbers, signsIn } from './signs';

/** The result for one recipient in the response to a bulk send. */
export interface ReportedRecipient {
	readonly result: 'accepted' | 'rejected' | 'skipped' | 'unknown';
	readonly message_id?: string;
	readonly status?: string;
	/** The reason, in the service's words. */
	readonly reason?: string;
}

/** The results for all recipients in the response to a bulk send. */
export interface ReportedBatch {
	/** Results of the recipients that it names, by number in E.164. */
	readonly named: ReadonlyMap<string, ReportedRecipient>;
	/** Result of the recipients that it does not name. */
	readonly others: ReportedRecipient;
	/** Number of failures in its counts, beside those that it names. */
	readonly unnamedFailures: number;
}

/**
 * Reads the result for each recipient from the accepted response to POST /sms/bulk. Its fields are undocumented
 * (docs/api.md#send-a-bulk-sms). A recipient with a row follows the signs in the row. One without a row follows the batch,
 * unless the response counts or lists failures that may be about it. A recipient in a list with another name than
 * `accepted` and the like is never accepted for that.
 * @param output the response
 * @param recipients numbers in E.164
 * @param input of the call. Rows may repeat it
 */
export function readBulkResponse(output: JsonObject, recipients: readonly string[], input: JsonObject): ReportedBatch {
	const gathered = new Gathered();
	gathered.walk(output, undefined, '', 0);
	const numberIn = numberFinder(recipients);
	const named = new Map<string, ReportedRecipient>();
	let unmatched = gathered.failures;
	for (const mention of gathered.mentions) {
		const reported = resultOf(mention, input);
		if (reported === undefined) continue;
		const to = mention.number === undefined ? undefined : numberIn(mention.number);
		if (to !== undefined) named.set(to, merged(named.get(to), reported));
		else if (reported.result !== 'accepted') unmatched++;
	}
	const results = [...named.values()].map(({ result }) => result);
	const failed = results.filter((result) => result === 'rejected' || result === 'skipped').length;
	const accepted = results.filter((result) => result === 'accepted').length;
	const unnamedFailures = Math.max(0, sum(gathered.failing) - failed);
	const toldApart = gathered.mentions.some(({ group, row }) => group === 'yes' && row === undefined);
	const doubtful = gathered.unread || unmatched > 0 || unnamedFailures > 0 || toldApart;
	const enough = reaches(gathered.accepted, recipients.length - named.size + accepted);
	const yes = signsIn(output, { rows: true }).yes || accepted > 0 || !isNothing(output.batch_id);
	return { named, others: { result: !doubtful && enough && yes ? 'accepted' : 'unknown' }, unnamedFailures };
}

/** The result that the name of a list gives to all its entries. `open`: a list whose name is not known. */
type Group = 'yes' | 'no' | 'open' | undefined;

/** A row, or an entry of a list or a map, that is about one recipient. */
interface Mention {
	/** As the service writes it; undefined for a row without a number. */
	readonly number?: string;
	readonly row?: JsonObject;
	readonly group: Group;
	/** Name of the list. */
	readonly key: string;
}

const DEEPEST = 8;
const MOST_NODES = 500_000;

/** The mentions and counts in a response. */
class Gathered {
	readonly mentions: Mention[] = [];
	/** Failures that are not about a number. */
	failures = 0;
	/** Counts under failing and under positive names, by word: `failed` and `failed_count` are the same count. */
	readonly failing = new Map<string, number>();
	readonly accepted = new Map<string, number>();
	unread = false;
	#nodes = 0;

	walk(body: object, group: Group, above: string, depth: number): void {
		const isList = Array.isArray(body);
		for (const [key, value] of Object.entries(body)) {
			this.unread ||= ++this.#nodes > MOST_NODES || depth > DEEPEST;
			if (this.unread) return;
			if (isList) this.#entry(value, group, above, depth);
			else if (isNumberKey(key))
				this.mentions.push({ number: key, row: isObject(value) ? value : { status: value }, group, key: above });
			else this.#field(key, value, group, above, depth);
		}
	}

	#field(key: string, value: unknown, above: Group, nameAbove: string, depth: number): void {
		const own = groupOf(key);
		if (typeof value === 'object' && value !== null) {
			const group =
				own === 'open' ? (Array.isArray(value) || hasNumberKeys(value) ? (above ?? 'open') : above) : (own ?? above);
			// A single failure may be an object instead of a list.
			if (group === 'no' && isObject(value) && numberOf(value) !== undefined) this.#entry(value, group, key, depth);
			else this.walk(value, group, key, depth + 1);
			return;
		}
		const isCount = /^(count|total|number)$/i.test(key);
		const group = isCount ? above : own;
		if (group !== 'yes' && group !== 'no') {
			if (above === 'no' && typeof value === 'string' && value.trim() !== '') this.failures++;
		} else if (typeof value === 'number') {
			const counts = group === 'no' ? this.failing : this.accepted;
			const word = wordsOf(isCount ? nameAbove : key).find((one) => groupOf(one) === group) ?? key;
			counts.set(word, Math.max(counts.get(word) ?? 0, value));
		} else if (typeof value === 'string' && isNumbers(value)) {
			for (const number of value.split(/[,;|\n]/)) this.mentions.push({ number, group, key });
		} else if (group === 'no' && !isNothing(value)) this.failures++;
	}

	#entry(value: unknown, group: Group, key: string, depth: number): void {
		if (typeof value === 'string' || typeof value === 'number') {
			if (group !== undefined && (group !== 'open' || isNumbers(String(value))))
				this.mentions.push({ number: String(value), group, key });
		} else if (Array.isArray(value)) this.walk(value, group, key, depth + 1);
		else if (isObject(value)) {
			const number = numberOf(value);
			this.mentions.push({ number, row: value, group, key });
			if (number === undefined) this.walk(value, group, key, depth + 1);
		}
	}
}

function hasNumberKeys(value: object): boolean {
	return Object.keys(value).some(isNumberKey);
}

/** The result that a name gives to its numbers: `failed_numbers` no, `queued` yes, `recipients` none. */
function groupOf(key: string): Group {
	if (kindOfKey(key) === 'failure') return 'no';
	const named = wordsOf(key).filter((word) => !NUMBER_LISTS.has(word));
	if (named.length === 0 || /^(success|ok)$/i.test(key)) return undefined;
	return named.every((word) => /[a-z]/.test(word) && meaningOf(word) === 'yes') ? 'yes' : 'open';
}

/** The number of a row, under any known name, also in an object: {"recipient": {"phone": "+233..."}}. */
function numberOf(row: JsonObject, depth = 0): string | undefined {
	for (const [key, value] of Object.entries(row)) {
		if (!isNumberName(key)) continue;
		if (typeof value === 'number') return String(value);
		if (typeof value === 'string' && /\d/.test(value)) return value;
		const inner = isObject(value) && depth < 2 ? numberOf(value, depth + 1) : undefined;
		if (inner !== undefined) return inner;
	}
	return undefined;
}

/** The result in a mention; undefined if it has none. */
function resultOf({ number, row = {}, group, key }: Mention, input: JsonObject): ReportedRecipient | undefined {
	const { no, doubt, yes, unread } = signsIn(row, { input, rows: number === undefined });
	const valuesOf = (field: 'message_id' | 'status') => [field, ...bulkResultAliases[field]].map((name) => row[name]);
	const status = valuesOf('status').find((value) => typeof value === 'string');
	const id = valuesOf('message_id').find((value) => !isNothing(value));
	const said = [row.error, row.reason, row.message, doubt?.kind === 'failure' ? doubt.text : undefined];
	const reason = said.find((text) => typeof text === 'string' && text.trim() !== '');
	const about = {
		...((typeof id === 'string' || typeof id === 'number') && { message_id: String(id) }),
		...(typeof status === 'string' && { status }),
		...(typeof reason === 'string' && { reason }),
	};
	if (group === 'no' && !yes) {
		const word = typeof status === 'string' ? status : key.replace(/_?(numbers|recipients|list)$/i, '');
		return { status: word, ...about, result: /skip|duplicate/i.test(word) ? 'skipped' : 'rejected' };
	}
	if (no && !yes && group !== 'yes') return { ...about, result: 'rejected' };
	if (no || doubt || unread || group === 'no' || (group === 'open' && number !== undefined))
		return { ...about, result: 'unknown' };
	return yes || id !== undefined || group === 'yes' ? { ...about, result: 'accepted' } : undefined;
}

/** Merges two results for one recipient. Two that differ give unknown. */
function merged(before: ReportedRecipient | undefined, now: ReportedRecipient): ReportedRecipient {
	const result = before === undefined || before.result === now.result ? now.result : 'unknown';
	return { ...before, ...now, result };
}

/** Whether the counts of accepted messages are high enough. Those of a queue may add up: 1 sent, 2 pending. */
function reaches(counts: ReadonlyMap<string, number>, needed: number): boolean {
	return counts.size === 0 || sum(counts) === needed || [...counts.values()].some((count) => count >= needed);
}

function sum(counts: ReadonlyMap<string, number>): number {
	return [...counts.values()].reduce((all, count) => all + count, 0);
}
