import { parseIsoText } from './isoText';
import { openZone, type Zone } from './zone';

/** Default time zone of the service's clock. Ghana has UTC all year. */
export const DEFAULT_SERVICE_ZONE = 'Africa/Accra';

/** Options of {@link scheduleAt}. */
export interface ScheduleOptions {
	/** Current time, in milliseconds since 1970. */
	readonly now: number;
	/** Zone for a text without an offset, e.g. the workflow's. If missing or empty, such a text is rejected. */
	readonly localZone?: string;
	/** Zone of the service's clock. Default: {@link DEFAULT_SERVICE_ZONE}. */
	readonly serviceZone?: string;
}

/**
 * A time as the service expects it, and the moment that it means.
 * @example if (schedule.ok) await client.sms.sendBulk({ ...input, schedule_at: schedule.schedule_at });
 */
export interface Schedule {
	readonly ok: true;
	/** `YYYY-MM-DD HH:MM:SS` (docs/api.md#dates-and-times) on the service's clock. */
	readonly schedule_at: string;
	/** Zone of `schedule_at`. */
	readonly zone: string;
	/** The same moment in UTC, ISO 8601. */
	readonly instant: string;
}

/** Why a time was rejected. Stable, so callers can branch on it. */
export type ScheduleProblemCode =
	| 'unreadable'
	| 'impossible'
	| 'no_zone'
	| 'unknown_zone'
	| 'unknown_service_zone'
	| 'skipped'
	| 'repeated'
	| 'repeated_in_service_zone'
	| 'past'
	| 'too_far';

/** A rejected time. */
export interface ScheduleProblem {
	readonly ok: false;
	readonly problem: ScheduleProblemCode;
	/** The cause and the next step, to be read after the field's name. */
	readonly message: string;
}

const LAST_INSTANT = Date.UTC(9999, 11, 31);
// 1973 in milliseconds, 5138 in seconds.
const SECONDS_NOT_MILLISECONDS = 100_000_000_000;
const SECONDS_OF_2001 = 1_000_000_000;

/** The days 2000-01-01 and 2200-01-01 in a sheet. Milliseconds and seconds since 1970 are far from these numbers. */
const SHEET_DAYS = { first: 36_526, last: 109_575 };
/** 1970-01-01 in a sheet, which counts days from the end of 1899. */
const SHEET_1970 = 25_569;
const DAY_SECONDS = 86_400;

/**
 * Makes the service's `schedule_at` (docs/api.md#dates-and-times) from a moment: a Date, milliseconds since 1970, the
 * number of a date in a sheet, or an ISO 8601 text. A text without an offset and a number of a sheet are read in
 * `localZone`. A fraction of a second is rounded up, because a message must not be sent early. A time that clocks skip
 * or show twice is rejected, because only the sender knows which moment is meant. A time before `now` is rejected;
 * `now` itself is accepted.
 * @example
 * scheduleAt('2026-12-24T08:30', { now: Date.now(), localZone: 'Africa/Lagos' }).ok
 * // true; schedule_at is '2026-12-24 07:30:00', in UTC
 */
export function scheduleAt(when: Date | number | string, options: ScheduleOptions): Schedule | ScheduleProblem {
	const { now, localZone, serviceZone = DEFAULT_SERVICE_ZONE } = options;
	const service = openZone(serviceZone);
	if (service === undefined) {
		return reject(
			'unknown_service_zone',
			`cannot be computed: the time zone of the service, ${serviceZone}, does not exist`,
		);
	}
	const text = sheetDate(when) ?? when;
	const instant = typeof text === 'string' ? readText(text, localZone) : Number(text);
	if (typeof instant !== 'number') return instant;
	if (Number.isNaN(instant)) return reject('unreadable', `is not a date and time: ${example}`);
	if (instant < now) {
		const seconds = typeof when === 'number' && when >= SECONDS_OF_2001 && when < SECONDS_NOT_MILLISECONDS;
		const hint = seconds
			? 'it looks like seconds since 1970, so give milliseconds'
			: 'choose a later time, or send now';
		return reject('past', `is in the past: ${hint}`);
	}
	if (instant >= LAST_INSTANT) return reject('too_far', 'is after the year 9998: choose an earlier time');
	return onServiceClock(Math.ceil(instant / 1000) * 1000, service, serviceZone);
}

/**
 * Reads the number with which Google Sheets and Excel store a date: days, with the time as a fraction.
 * @returns the same date as text without an offset, to the second; undefined for any other value
 */
function sheetDate(when: Date | number | string): string | undefined {
	const isNumber =
		typeof when === 'number' || (typeof when === 'string' && /^\s*\d{5,6}([.,]\d{1,15})?\s*$/.test(when));
	const days = isNumber ? Number(String(when).replace(',', '.')) : Number.NaN;
	if (!(days >= SHEET_DAYS.first && days <= SHEET_DAYS.last)) return undefined;
	const seconds = Math.round((days - SHEET_1970) * DAY_SECONDS);
	return new Date(seconds * 1000).toISOString().slice(0, 19);
}

const example = 'write it as 2026-11-20T18:00:00Z, or with an offset such as +01:00';

function readText(text: string, localZone: string | undefined): number | ScheduleProblem {
	const parsed = parseIsoText(text);
	if (parsed === undefined) return reject('unreadable', `is not a date and time: ${example}`);
	if (parsed === 'impossible') return reject('impossible', 'is a date or time that does not exist: check day and hour');
	if (parsed.offsetMs !== undefined) return parsed.wall + parsed.fractionMs - parsed.offsetMs;

	if (localZone === undefined || localZone.trim() === '') {
		return reject('no_zone', 'has no time zone: end it with Z for UTC, or with an offset such as +01:00');
	}
	const zone = openZone(localZone);
	if (zone === undefined) {
		return reject(
			'unknown_zone',
			`is in a time zone that does not exist (${localZone}): use a name such as Africa/Accra`,
		);
	}
	const [instant, another] = zone.instantsAt(parsed.wall);
	if (instant === undefined) {
		return reject('skipped', `does not exist in ${localZone}, because clocks go forward then: choose another time`);
	}
	if (another !== undefined) {
		return reject(
			'repeated',
			`occurs twice in ${localZone}, because clocks go back then: add the offset that you mean`,
		);
	}
	return instant + parsed.fractionMs;
}

function onServiceClock(instant: number, service: Zone, zone: string): Schedule | ScheduleProblem {
	const wall = service.wallTimeAt(instant);
	// The text would mean either of two moments, and the service would choose.
	if (service.instantsAt(wall).length > 1) {
		return reject('repeated_in_service_zone', `occurs twice on the service's clock (${zone}): choose another time`);
	}
	return {
		ok: true,
		schedule_at: new Date(wall).toISOString().slice(0, 19).replace('T', ' '),
		zone,
		instant: new Date(instant).toISOString(),
	};
}

function reject(problem: ScheduleProblemCode, message: string): ScheduleProblem {
	return { ok: false, problem, message };
}
