import { contract, recipientResults, type BulkInput, type Recipient } from '../../shared/index';
import type { Forwarded } from './service';
import { pickFields } from './storedFields';
import type { NewClaim, Settlement, Taken } from './store';

/** A recipient that was forwarded, with the claim of its key. */
export interface ForwardedEntry {
	readonly to: unknown;
	readonly claim: NewClaim;
}

/**
 * The outcome of each recipient of a bulk send, as `shared/bulk` reads it from the response.
 * @param input the forwarded fields
 */
export function bulkSettlements(
	entries: readonly ForwardedEntry[],
	input: Readonly<Record<string, unknown>>,
	forwarded: Forwarded,
): Settlement[] {
	const status = forwarded.kind === 'response' ? forwarded.response.status : null;
	if (forwarded.outcome === 'rejected') return entries.map(({ claim: { id } }) => ({ id, state: 'rejected' }));
	const reading = forwarded.kind === 'response' ? forwarded.response.reading : undefined;
	if (forwarded.outcome === 'unknown' || reading?.kind !== 'output' || status === null) {
		return entries.map(({ claim: { id } }) => ({ id, state: 'unknown', status }));
	}
	const endpoint = contract.sms.sendBulk;
	const output = endpoint.output.parse(reading.output);
	const recipients = entries.map(({ to }, position): Recipient => ({ to: String(to), source: 0, position }));
	const text: BulkInput = {
		to: recipients.map(({ to }) => to),
		sender_id: String(input.sender_id),
		message: String(input.message),
	};
	const batch = { name: '0', input: text, recipients };
	const rows = recipientResults({ index: 0, input: batch, outcome: 'accepted', output });
	const common = pickFields(endpoint, { batch_id: output.batch_id, billed_via: output.billed_via });
	return entries.map(({ claim: { id } }, place) => {
		const row = rows[place];
		switch (row?.outcome) {
			case 'accepted': {
				const own = pickFields(contract.sms.send, { message_id: row.message_id, status: row.status ?? output.status });
				return { id, state: 'accepted', status, fields: { ...common, ...own } };
			}
			case 'rejected':
			case 'skipped':
				return { id, state: 'rejected' };
			default:
				return { id, state: 'unknown', status };
		}
	});
}

/**
 * The outcome of a bulk send with one key for all its recipients. The relay keeps no list of results. So a replay has the
 * number of rejected recipients, and no recipient may count as accepted by it.
 * @param rows of its recipients
 * @param whole the outcome if all are accepted
 */
export function wholeSettlement(
	rows: readonly Settlement[],
	{ id, status, fields }: Pick<Extract<Settlement, { state: 'accepted' }>, 'id' | 'status' | 'fields'>,
): Settlement {
	const rejected = rows.filter(({ state }) => state === 'rejected').length;
	if (rejected > 0 && rejected === rows.length) return { id, state: 'rejected' };
	if (rows.some(({ state }) => state === 'unknown')) return { id, state: 'unknown', status };
	const [only] = rows;
	// The ID of the only message is in the list of results.
	if (rows.length === 1 && only?.state === 'accepted') return { ...only, fields: { ...fields, ...only.fields } };
	return { id, state: 'accepted', status, fields: rejected === 0 ? fields : { ...fields, failed: rejected } };
}

/** A recipient that was left out, because its key belongs to an earlier send. */
export interface SkippedEntry {
	readonly to: unknown;
	readonly outcome: 'accepted' | 'unknown';
	readonly message_id: string | null;
	/** The status in the response to the earlier send. */
	readonly status: string | null;
	readonly batch_id: string | null;
}

/** Describes a recipient that was left out. */
export function skippedEntry(to: unknown, { state, fields }: Taken): SkippedEntry {
	const textOf = (name: string) => {
		const value = fields?.[name];
		return value === undefined ? null : String(value);
	};
	return {
		to,
		outcome: state === 'accepted' ? 'accepted' : 'unknown',
		message_id: textOf('message_id'),
		status: textOf('status'),
		batch_id: textOf('batch_id'),
	};
}

/**
 * Adds the recipients that were left out to a response of the service. All else stays as it is, so long numbers stay exact.
 * @returns undefined if the response is not a JSON object
 */
export function withSkipped(text: string | undefined, skipped: readonly SkippedEntry[]): string | undefined {
	const body = text?.trim();
	if (body === undefined || !/^\{[^]*\}$/.test(body)) return undefined;
	const inside = body.slice(1, -1).trim();
	const relay = `"relay":${JSON.stringify({ skipped })}`;
	const changed = `{${inside === '' ? '' : `${inside},`}${relay}}`;
	return isJson(body) ? changed : undefined;
}

function isJson(text: string): boolean {
	try {
		JSON.parse(text);
		return true;
	} catch {
		return false;
	}
}
