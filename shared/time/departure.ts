import { scheduleAt, type Schedule } from './scheduleAt';
import { clockText, nextSendingTime, type SendingHours, type SendingHoursProblem } from './sendingHours';

/**
 * Reason in the row of a message that sending hours moved or skipped.
 * @example if (row.reason === OUTSIDE_SENDING_HOURS) console.log(row.allowed_at);
 */
export const OUTSIDE_SENDING_HOURS = 'outside_sending_hours';

/**
 * What happens to a message outside the hours: the service sends it at the next allowed time, it is skipped, or it is an
 * error.
 */
export type OutsideHours = (typeof OUTSIDE_HOURS)[number];

/**
 * All values of {@link OutsideHours}.
 * @example OUTSIDE_HOURS.find((one) => one === value)
 */
export const OUTSIDE_HOURS = ['schedule', 'skip', 'stop'] as const;

/**
 * Sending hours, and what happens outside of them.
 * @example const rule: SendingHoursRule = { hours, outside: 'schedule' };
 */
export interface SendingHoursRule {
	readonly hours: SendingHours;
	readonly outside: OutsideHours;
}

/**
 * When a message leaves.
 * @example if (departure.when === 'at') await client.sms.sendBulk({ ...input, schedule_at: departure.schedule.schedule_at });
 */
export type Departure =
	| { readonly when: 'now' }
	| {
			readonly when: 'at';
			readonly schedule: Schedule;
			/** Fields of its row if the hours moved it. */
			readonly moved?: MovedFields;
	  }
	| { readonly when: 'never'; readonly skipped: OutsideHoursFields }
	/** The user wants an error. The message is to be read after the name of the hours. */
	| { readonly when: 'stop'; readonly message: string };

/**
 * Fields of the row of a message that sending hours moved to a later time.
 * @example const { schedule_at }: MovedFields = moved;
 */
export interface MovedFields {
	/** The time on the service's clock (docs/api.md#dates-and-times). */
	readonly schedule_at: string;
	/** The same moment in UTC, ISO 8601. */
	readonly allowed_at: string;
	readonly schedule_reason: typeof OUTSIDE_SENDING_HOURS;
}

/**
 * Fields of the row of a message that is skipped outside the hours.
 * @example const { reason, allowed_at }: OutsideHoursFields = departure.skipped;
 */
export interface OutsideHoursFields {
	readonly reason: typeof OUTSIDE_SENDING_HOURS;
	/** The cause, as sentences. */
	readonly message: string;
	/** The next allowed moment in UTC, ISO 8601. */
	readonly allowed_at: string;
}

/**
 * Least time from the decision to the time to which hours move a message, in milliseconds. The request, its retries and
 * the service's clock need some. The service may reject a time that has passed.
 * @example departureOf(undefined, Date.now(), rule, LEAST_AHEAD_MS + timeOfRunMs)
 */
export const LEAST_AHEAD_MS = 5 * 60_000;

/**
 * Decides when a message leaves.
 * @param planned the time that the user chose; undefined for now
 * @param now the present, in milliseconds since 1970
 * @param rule undefined if the user set no hours
 * @param leastAheadMs least time from now to a time to which the hours move the message
 * @returns a problem of the hours if they leave no time within a year
 * @example departureOf(undefined, Date.now(), { hours, outside: 'schedule' })
 */
export function departureOf(
	planned: Schedule | undefined,
	now: number,
	rule: SendingHoursRule | undefined,
	leastAheadMs = LEAST_AHEAD_MS,
): Departure | SendingHoursProblem {
	const asPlanned: Departure = planned ? { when: 'at', schedule: planned } : { when: 'now' };
	if (!rule) return asPlanned;
	const { hours, outside } = rule;
	const moment = planned ? Date.parse(planned.instant) : now;
	const time = nextSendingTime(hours, moment);
	if (!time.ok) return time;
	if (time.inside) return asPlanned;
	const here = clockText(hours, moment);
	const next = clockText(hours, time.instant);
	if (outside === 'stop') {
		return {
			when: 'stop',
			message: `do not allow a message on ${here}. The next allowed time is ${next}. Send it then, or let the hours schedule it`,
		};
	}
	if (outside === 'skip') {
		const allowed_at = new Date(time.instant).toISOString();
		const message = `${here} is outside the Sending Hours. The next allowed time is ${next}.`;
		return { when: 'never', skipped: { reason: OUTSIDE_SENDING_HOURS, message, allowed_at } };
	}
	// On a grid, so that a message that is sent again in this moment has the same time, and a relay knows it.
	const earliest = Math.ceil((now + leastAheadMs) / LEAST_AHEAD_MS) * LEAST_AHEAD_MS;
	const departing = time.instant < earliest ? nextSendingTime(hours, earliest) : time;
	if (!departing.ok) return departing;
	const schedule = scheduleAt(departing.instant, { now });
	if (!schedule.ok) return { ok: false, field: 'until', message: `leads to a time that ${schedule.message}` };
	const { schedule_at } = schedule;
	const moved = { schedule_at, allowed_at: new Date(departing.instant).toISOString() };
	return { when: 'at', schedule, moved: { ...moved, schedule_reason: OUTSIDE_SENDING_HOURS } };
}
