import { isObject, type JsonObject } from '../contract/find';
import { isNothing, isNumberKey, isNumbers, signsIn, type Sign } from '../contract/signs';
import { kindOfKey, saysAccepted, saysFailure, wordsOf } from '../contract/words';
import type { BulkSendOutput, BulkInput } from './batches';
import type { Recipient } from './recipients';

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
 * Reads the result for each recipient from the response to POST /sms/bulk. Its fields are undocumented
 * (docs/api.md#send-a-bulk-sms), so rows, lists, maps and counts are found under any name, at any depth. A recipient under
 * a failing name is never accepted. If a failure cannot be matched to a recipient, no recipient that it may be about is
 * accepted either.
 */
export function readBulkResponse(
	output: BulkSendOutput,
	recipients: readonly Recipient[],
	{ message }: BulkInput,
): ReportedBatch {
	const gathered = gather(output);
	const numberIn = finderOf(recipients);
	const named = new Map<string, ReportedRecipient>();
	let unmatched = gathered.unmatched;
	for (const mention of gathered.mentions) {
		const reported = resultOf(mention, message);
		if (reported === undefined) continue;
		const to = mention.number === undefined ? undefined : numberIn(mention.number);
		if (to !== undefined) named.set(to, merged(named.get(to), reported));
		else if (reported.result !== 'accepted') unmatched++;
	}
	const others = othersOf(output, recipients, named, { ...gathered, unmatched }, message);
	const unnamedFailures = Math.max(0, sum([...gathered.failing.values()]) - failedIn(named));
	return { named, others, unnamedFailures };
}

/** A list, a row or an entry of a map that is about one recipient. */
interface Mention {
	/** As the service writes it; undefined for a row without a number. */
	readonly number?: string;
	readonly row?: JsonObject;
	/** The result that the name of the list gives to all its numbers. */
	readonly group?: Group;
	/** Name of the list. */
	readonly key: string;
	/** Whether the row contains lists, which are read separately. */
	readonly isGroup?: boolean;
}

type Group = 'failing' | 'accepted';

interface Gathered {
	readonly mentions: readonly Mention[];
	/** Failures that are not about a number. */
	readonly unmatched: number;
	/** Counts under failing names, by root: `failed` and `failed_count` are the same count. */
	readonly failing: ReadonlyMap<string, number>;
	/** Counts under names such as `accepted` and `queued`. */
	readonly accepted: ReadonlyMap<string, number>;
	/** Texts of the response itself, not of a row. */
	readonly texts: readonly string[];
	/** Whether the response is too deep or too large to be read completely. */
	readonly unjudged: boolean;
}

const DEEPEST = 8;
const MOST_NODES = 500_000;

function gather(output: BulkSendOutput): Gathered {
	const mentions: Mention[] = [];
	const texts: string[] = [];
	const failing = new Map<string, number>();
	const accepted = new Map<string, number>();
	let unmatched = 0;
	let nodes = 0;
	let unjudged = false;

	const scalar = (key: string, value: unknown, group: Group | undefined) => {
		if (typeof value === 'number' && group !== undefined) {
			const counts = group === 'failing' ? failing : accepted;
			const root = rootOf(key, group);
			counts.set(root, Math.max(counts.get(root) ?? 0, value));
		} else if (typeof value === 'string' && group !== undefined && isNumbers(value)) {
			for (const number of value.split(/[,;|\n]/)) mentions.push({ number, group, key });
		} else if (group === 'failing' && !isNothing(value)) unmatched++;
	};
	const entry = (value: unknown, key: string, group: Group | undefined, depth: number) => {
		if (typeof value === 'string' || typeof value === 'number') {
			if (group !== undefined) mentions.push({ number: String(value), group, key });
		} else if (isObject(value)) {
			const number = numberOf(value);
			if (number !== undefined || !Object.values(value).some(isGroup)) {
				mentions.push({ number, row: value, group, key });
				return;
			}
			if (group === undefined) mentions.push({ row: value, key, isGroup: true });
			walk(value, key, group, depth);
		} else if (Array.isArray(value)) list(value, key, group, depth + 1);
	};
	const list = (values: readonly unknown[], key: string, group: Group | undefined, depth: number) => {
		for (const value of values) {
			if (tooMuch(depth)) return;
			entry(value, key, group, depth);
		}
	};
	const tooMuch = (depth: number) => (unjudged ||= ++nodes > MOST_NODES || depth > DEEPEST);
	const walk = (body: JsonObject, above: string, group: Group | undefined, depth: number) => {
		for (const key in body) {
			if (tooMuch(depth)) return;
			const value = body[key];
			if (isNumberKey(key)) {
				const row = isObject(value) ? value : { status: value };
				mentions.push({ number: key, row, group, key: above });
				continue;
			}
			const own = groupOf(key) ?? group;
			if (Array.isArray(value)) list(value, key, own, depth + 1);
			else if (isObject(value)) {
				// A single failure may be an object instead of a list.
				if (own === 'failing' && numberOf(value) !== undefined) entry(value, key, own, depth + 1);
				else walk(value, key, own, depth + 1);
			} else if (typeof value === 'string' && kindOfKey(key) === 'text') texts.push(value);
			else if (groupOf(key) !== undefined || COUNT.test(key)) scalar(groupOf(key) ? key : above, value, own);
			else if (group === 'failing' && typeof value === 'string') scalar(key, value, own);
		}
	};
	walk(output, '', undefined, 0);
	return { mentions, unmatched, failing, accepted, texts, unjudged };
}

const COUNT = /^(count|total|number)$/i;

function isGroup(value: unknown): boolean {
	return Array.isArray(value) || isObject(value);
}

function groupOf(key: string): Group | undefined {
	const kind = kindOfKey(key);
	if (kind === 'failure') return 'failing';
	if (kind === 'code' || kind === 'status' || kind === 'text') return undefined;
	if (/^(success|ok)$/i.test(key)) return undefined;
	const words = wordsOf(key);
	const accepting =
		words.some((word) => saysAccepted(word)) && words.every((word) => saysAccepted(word) || NEUTRAL.has(word));
	return kind === 'flag' || accepting ? 'accepted' : undefined;
}

/** Words that may be in the name of a list or a count; `sent_at` and `processing_time` are neither. */
const NEUTRAL = new Set([
	...['total', 'count', 'number', 'numbers', 'recipients', 'messages', 'contacts', 'phones', 'sms', 'of', 'to', 'list'],
	...['msisdns', 'rows', 'items', 'destinations'],
]);

/** The root of a count's name: `failed`, `failed_count` and `total_failed` are the same count. */
function rootOf(key: string, group: Group): string {
	const words = wordsOf(key);
	return words.find((word) => (group === 'failing' ? saysFailure(word) : saysAccepted(word))) ?? words.join(' ');
}

const NUMBER_KEYS = new Set([
	...['to', 'phone', 'number', 'recipient', 'phonenumber', 'msisdn', 'mobile', 'mobilenumber', 'contact', 'cell'],
	...['contactnumber', 'destination', 'dest', 'address', 'receiver', 'addressee', 'recipientnumber', 'phoneno'],
	...['recipientphone', 'destinationnumber', 'mobileno', 'tel', 'telephone', 'telephonenumber', 'cellphone', 'e164'],
]);

/** A cache, because all rows have the same few keys. */
const numberKeys = new Map<string, boolean>();

function isNameOfNumber(key: string): boolean {
	const before = numberKeys.get(key);
	if (before !== undefined) return before;
	const is = NUMBER_KEYS.has(wordsOf(key.slice(0, 50)).join(''));
	if (numberKeys.size < 1_000 && key.length <= 50) numberKeys.set(key, is);
	return is;
}

/** The number of a row, under any known name, also in an object: {"recipient": {"phone": "+233..."}}. */
function numberOf(row: JsonObject, depth = 0): string | undefined {
	for (const key in row) {
		if (!isNameOfNumber(key)) continue;
		const value = row[key];
		if (typeof value === 'number') return String(value);
		if (typeof value === 'string' && /\d/.test(value)) return value;
		const inner = isObject(value) && depth < 2 ? numberOf(value, depth + 1) : undefined;
		if (inner !== undefined) return inner;
	}
	return undefined;
}

const SKIPPED = /skip|duplicate/i;

/** The result in a mention; undefined if it has none. */
function resultOf({ row = {}, group, key, isGroup: bulk }: Mention, message: string): ReportedRecipient | undefined {
	const { failures, worked, unjudged } = signsIn(row, { input: { message }, bulk });
	const status = ['status', 'state'].map((name) => row[name]).find((value) => typeof value === 'string');
	const id = ['message_id', 'messageId', 'id'].map((name) => row[name]).find((value) => !isNothing(value));
	const about = {
		...((typeof id === 'string' || typeof id === 'number') && { message_id: String(id) }),
		...(typeof status === 'string' && { status }),
		...reasonIn(row, failures),
	};
	if (group === 'failing' || failures.length > 0) {
		const said = status === undefined ? statusOfList(key, group) : undefined;
		const skipped = SKIPPED.test(status ?? said ?? '');
		const reported = { ...(said !== undefined && { status: said }), ...about };
		if (group === 'failing' || isCertain(failures, worked || group === 'accepted', id))
			return { ...reported, result: skipped ? 'skipped' : 'rejected' };
		return { ...reported, result: 'unknown' };
	}
	if (unjudged) return { ...about, result: 'unknown' };
	return worked || id !== undefined || group === 'accepted' ? { ...about, result: 'accepted' } : undefined;
}

/** The status that the name of a list gives to its numbers: `rejected`, or `invalid` for `invalid_numbers`. */
function statusOfList(key: string, group: Group | undefined): string | undefined {
	return group === 'failing' ? key.replace(/_?(numbers|recipients|list)$/i, '') : undefined;
}

/** Whether a row clearly says that its message was not sent, without a sign of the opposite. */
function isCertain(failures: readonly Sign[], worked: boolean, id: unknown): boolean {
	if (worked) return false;
	return failures.some(({ kind }) => kind === 'flag' || kind === 'status' || (kind === 'failure' && isNothing(id)));
}

function reasonIn(row: JsonObject, failures: readonly Sign[]): { reason?: string } {
	const own = ['error', 'reason', 'message'].map((name) => row[name]);
	const reasons = [...own, ...failures.filter(({ kind }) => kind !== 'status').map(({ text }) => text)];
	const found = reasons.find((text): text is string => typeof text === 'string' && text.trim() !== '');
	return found === undefined ? {} : { reason: found };
}

/** Merges two results for one recipient. A yes and a no give unknown. */
function merged(before: ReportedRecipient | undefined, now: ReportedRecipient): ReportedRecipient {
	if (before === undefined) return now;
	const both = { ...before, ...now };
	if (before.result === now.result) return both;
	const results = [before.result, now.result];
	if (results.includes('accepted') || results.includes('unknown')) return { ...both, result: 'unknown' };
	return { ...both, result: 'rejected' };
}

function othersOf(
	output: BulkSendOutput,
	recipients: readonly Recipient[],
	named: ReadonlyMap<string, ReportedRecipient>,
	{ mentions, unmatched, failing, accepted: acceptedCounts, texts, unjudged }: Gathered,
	message: string,
): ReportedRecipient {
	const accepted = [...named.values()].filter(({ result }) => result === 'accepted').length;
	const failed = failedIn(named);
	const left = recipients.length - named.size;
	const failedCounts = [...failing.values()];
	const failedCount = sum(failedCounts);
	const roots = [...failing].filter(([, count]) => count > 0).map(([root]) => root);
	const notSent: ReportedRecipient = {
		result: roots.length > 0 && roots.every((root) => SKIPPED.test(root)) ? 'skipped' : 'rejected',
	};
	const unknown: ReportedRecipient = { result: 'unknown' };

	if (unjudged) return unknown;
	if (failedCounts.some((count) => count >= recipients.length)) return notSent;
	// The number of unnamed failures equals the number of unnamed recipients, so these failed.
	if (unmatched === 0 && failedCount > failed && failedCount - failed === left) return notSent;
	if (unmatched > 0 || failedCount > failed) return unknown;
	// Rows with failures explain a text such as "1 of 3 failed".
	if (failed === 0 && signsIn({ message: texts }, { input: { message } }).failures.length > 0) return unknown;
	if (lacksSome([...acceptedCounts.values()], left + accepted)) return unknown;
	const isListed = mentions.some(
		({ group, row, number }) => group === 'accepted' && row === undefined && number !== undefined,
	);
	if (isListed || !indicatesAcceptance(output, accepted, acceptedCounts)) return unknown;
	return { result: 'accepted' };
}

function failedIn(named: ReadonlyMap<string, ReportedRecipient>): number {
	return [...named.values()].filter(({ result }) => result === 'rejected' || result === 'skipped').length;
}

/** Whether the counts of accepted messages are too low. Those of a queue may add up: 1 sent, 2 pending. */
function lacksSome(counts: readonly number[], needed: number): boolean {
	return counts.length > 0 && counts.every((count) => count < needed) && sum(counts) !== needed;
}

function sum(counts: readonly number[]): number {
	return counts.reduce((all, count) => all + count, 0);
}

/** Whether anything indicates that the request was accepted. */
function indicatesAcceptance(output: BulkSendOutput, accepted: number, counts: ReadonlyMap<string, number>): boolean {
	if (accepted > 0 || sum([...counts.values()]) > 0) return true;
	const { batch_id, cost, billed_via } = output;
	return !isNothing(batch_id) || Number(cost) > 0 || !isNothing(billed_via) || signsIn(output, { bulk: true }).worked;
}

/** Number of final digits that identify a number, with or without its country code. */
const NATIONAL_DIGITS = 7;

/** Finds a recipient by a number as the service writes it: in E.164, without the plus, or in national format. */
function finderOf(recipients: readonly Recipient[]): (number: string) => string | undefined {
	const endings = new Map<string, string[]>();
	for (const { to } of recipients) {
		const ending = to.slice(-NATIONAL_DIGITS);
		const alike = endings.get(ending);
		if (alike) alike.push(to);
		else endings.set(ending, [to]);
	}
	return (number) => {
		const digits = number.slice(0, 100).replace(/\D/g, '').replace(/^0+/, '');
		if (digits.length < NATIONAL_DIGITS) return undefined;
		const alike = (endings.get(digits.slice(-NATIONAL_DIGITS)) ?? []).filter((to) => to.endsWith(digits));
		const whole = alike.find((to) => to === `+${digits}`);
		const [only, ...others] = whole === undefined ? alike : [whole];
		return others.length === 0 ? only : undefined;
	};
}
