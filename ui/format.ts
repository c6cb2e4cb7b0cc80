const amount = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 4 });
const whole = new Intl.NumberFormat('en');
const CLOCK = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const;
const clockTime = new Intl.DateTimeFormat(undefined, CLOCK);
const SHORT = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const shortTime = new Intl.DateTimeFormat(undefined, SHORT);
const dayAndShortTime = new Intl.DateTimeFormat(undefined, { ...SHORT, day: 'numeric', month: 'short' });
const dayAndTime = new Intl.DateTimeFormat(undefined, { ...CLOCK, day: 'numeric', month: 'short' });

/** Formats an amount without its currency: 0.05, 1,234.50. */
export function formatAmount(value: number): string {
	return amount.format(value).replace('-', '−');
}

/** Formats an amount with its sign: +40.00, −0.05. */
export function formatSigned(value: number): string {
	return value > 0 ? `+${formatAmount(value)}` : formatAmount(value);
}

/** Formats a count: 12,345. */
export function formatCount(value: number): string {
	return whole.format(value);
}

/** Parses a time: ISO 8601, or `YYYY-MM-DD HH:MM:SS` in UTC. */
export function parseTime(text: string): Date {
	return new Date(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text) ? `${text.replace(' ', 'T')}Z` : text);
}

/**
 * Formats a time in the browser's time zone, without the day if it is the same as now.
 * @param short without seconds
 */
export function formatTime(time: Date, now: Date, short = false): string {
	const today = time.toDateString() === now.toDateString();
	if (short) return (today ? shortTime : dayAndShortTime).format(time);
	return (today ? clockTime : dayAndTime).format(time);
}

/** Formats the time of day in the browser's time zone, with seconds. */
export function formatTimeOfDay(time: Date): string {
	return clockTime.format(time);
}

const UNITS = [
	['day', 86_400_000],
	['hour', 3_600_000],
	['minute', 60_000],
	['second', 1000],
] as const;

/** Formats the length of time between two moments with its largest unit: `3 hours`. */
export function formatAge(time: Date, now: Date): string {
	const { count, unit } = largestUnit(time, now);
	return `${Math.abs(count)} ${unit}${Math.abs(count) === 1 ? '' : 's'}`;
}

/** Formats a moment relative to now: `3 hours ago`, `in 5 minutes`, `now`. */
export function formatAgo(time: Date, now: Date): string {
	const { count } = largestUnit(time, now);
	if (count === 0) return 'now';
	const age = formatAge(time, now);
	return count < 0 ? `${age} ago` : `in ${age}`;
}

/** Counts the time from now in its largest unit. Negative: in the past. */
function largestUnit(time: Date, now: Date): { readonly count: number; readonly unit: string } {
	const milliseconds = time.getTime() - now.getTime();
	const [unit, length] = UNITS.find(([, one]) => Math.abs(milliseconds) >= one) ?? ['second', 1000];
	return { count: Math.trunc(milliseconds / length), unit };
}
