/** Date and time of a local clock, in milliseconds since 1970 as if that clock showed UTC. */
export type WallTime = number;

const DAY_MS = 86_400_000;

/** A time zone of the IANA database, or an offset such as `+01:00`; independent of the host's own zone. */
export interface Zone {
	/** The time on a clock there at an instant, in whole seconds. */
	wallTimeAt(instant: number): WallTime;
	/** The instants, earliest first, at which a clock there shows this time: none if it is skipped, two if it is repeated. */
	instantsAt(wall: WallTime): readonly number[];
}

/**
 * Opens a time zone.
 * @returns undefined if there is no zone with that name
 */
export function openZone(name: string): Zone | undefined {
	const format = openFormat(name);
	return format === undefined ? undefined : zoneOf(format);
}

function zoneOf(format: Intl.DateTimeFormat): Zone {
	function wallTimeAt(instant: number): WallTime {
		const parts = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
		const { year = NaN, month = NaN, day = NaN, hour = NaN, minute = NaN, second = NaN } = parts;
		return Date.UTC(year, month - 1, day, hour, minute, second);
	}

	return {
		wallTimeAt,
		instantsAt(wall) {
			// The offset is the one of the day before or of the day after: no zone changes twice in two days.
			const offsets = [wall - DAY_MS, wall + DAY_MS].map((instant) => wallTimeAt(instant) - instant);
			const instants = [...new Set(offsets)].map((offset) => wall - offset);
			return instants.filter((instant) => wallTimeAt(instant) === wall).sort((a, b) => a - b);
		},
	};
}

function openFormat(timeZone: string): Intl.DateTimeFormat | undefined {
	try {
		return new Intl.DateTimeFormat('en-US', {
			timeZone,
			calendar: 'iso8601',
			numberingSystem: 'latn',
			hourCycle: 'h23',
			year: 'numeric',
			month: 'numeric',
			day: 'numeric',
			hour: 'numeric',
			minute: 'numeric',
			second: 'numeric',
		});
	} catch (error) {
		if (error instanceof RangeError) return undefined;
		throw error;
	}
}
