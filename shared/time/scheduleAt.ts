import { parseIsoText } from './isoText';
import { openZone, type Zone } from './zone';

/** Zone of the service's clock where nothing else is known; Ghana has UTC all year. */
export const DEFAULT_SERVICE_ZONE = 'Africa/Accra';

/** Options of {@link scheduleAt}. */
export interface ScheduleOptions {
	/** The present, in milliseconds since 1970. */
	readonly now: number;
	/** Zone in which a text without offset is meant, e.g. the workflow's; without it such a text is refused. */
	readonly localZone?: string;
	/** Zone of the service's clock; {@link DEFAULT_SERVICE_ZONE} where it is not given. */
	readonly serviceZone?: string;
}

/** A time as the service takes it, and what it means. */
export interface Schedule {
	readonly ok: true;
	/** `YYYY-MM-DD HH:MM:SS` (docs/api.md#dates-and-times) on the service's clock. */
	readonly schedule_at: string;
	/** Zone of `schedule_at`. */
	readonly zone: string;
	/** The same moment in UTC, ISO 8601. */
	readonly instant: string;
}

/** Why a time was refused; stable, for callers to branch on. */
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

/** A time that was refused. */
export interface ScheduleProblem {
	readonly ok: false;
	readonly problem: ScheduleProblemCode;
	/** What is wrong and what to do, to be read after the field's name. */
	readonly message: string;
}

const LAST_INSTANT = Date.UTC(9999, 11, 31);
// 1973 in milliseconds, 5138 in seconds.
const SECONDS_NOT_MILLISECONDS = 100_000_000_000;

/**
 * Makes the service's `schedule_at` from a moment: a Date, milliseconds since 1970, an ISO 8601 text with offset, or one
 * without offset in `localZone`. A text's own offset goes before `localZone`. A fraction of a second is rounded up, so
 * that nothing is sent early. A time that clocks skip or show twice is refused rather than moved: only the sender knows
 * which was meant. Past is what lies before `now`; the very present is not.
 */
export function scheduleAt(when: Date | number | string, options: ScheduleOptions): Schedule | ScheduleProblem {
	const { now, localZone, serviceZone = DEFAULT_SERVICE_ZONE } = options;
	const service = openZone(serviceZone);
	if (service === undefined) {
		return refuse('unknown_service_zone', `cannot be computed: there is no time zone ${serviceZone} for the service`);
	}
	const instant = typeof when === 'string' ? readText(when, localZone) : Number(when);
	if (typeof instant !== 'number') return instant;
	if (Number.isNaN(instant)) return refuse('unreadable', `is not a date and time: ${example}`);
	if (instant < now) {
		const seconds = typeof when === 'number' && when > 0 && when < SECONDS_NOT_MILLISECONDS;
		const hint = seconds ? 'it looks like seconds since 1970, give milliseconds' : 'give a time to come, or send now';
		return refuse('past', `is in the past: ${hint}`);
	}
	if (instant >= LAST_INSTANT) return refuse('too_far', 'is after the year 9998: give a nearer time');
	return onServiceClock(Math.ceil(instant / 1000) * 1000, service, serviceZone);
}

const example = 'write it as 2026-11-20T18:00:00Z, or with an offset such as +01:00';

function readText(text: string, localZone: string | undefined): number | ScheduleProblem {
	const parsed = parseIsoText(text);
	if (parsed === undefined) return refuse('unreadable', `is not a date and time: ${example}`);
	if (parsed === 'impossible') return refuse('impossible', 'is a date or time that does not exist: check day and hour');
	if (parsed.offsetMs !== undefined) return parsed.wall + parsed.fractionMs - parsed.offsetMs;

	if (localZone === undefined) {
		return refuse(
			'no_zone',
			'does not say in which time zone it is: end it with Z for UTC or an offset such as +01:00',
		);
	}
	const zone = openZone(localZone);
	if (zone === undefined) {
		return refuse(
			'unknown_zone',
			`is in a time zone that does not exist (${localZone}): use a name such as Africa/Accra`,
		);
	}
	const [instant, another] = zone.instantsAt(parsed.wall);
	if (instant === undefined) {
		return refuse('skipped', `does not exist in ${localZone}, where clocks go forward over it: choose another time`);
	}
	if (another !== undefined) {
		return refuse('repeated', `comes twice in ${localZone}, where clocks go back: add the offset that you mean`);
	}
	return instant + parsed.fractionMs;
}

function onServiceClock(instant: number, service: Zone, zone: string): Schedule | ScheduleProblem {
	const wall = service.wallTimeAt(instant);
	// The text would stand for either of two moments, and the service would choose.
	if (service.instantsAt(wall).length > 1) {
		return refuse('repeated_in_service_zone', `comes twice on the service's clock (${zone}): choose another time`);
	}
	return {
		ok: true,
		schedule_at: new Date(wall).toISOString().slice(0, 19).replace('T', ' '),
		zone,
		instant: new Date(instant).toISOString(),
	};
}

function refuse(problem: ScheduleProblemCode, message: string): ScheduleProblem {
	return { ok: false, problem, message };
}
