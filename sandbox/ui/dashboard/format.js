import { walletCurrency } from './access.js';

const amount = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 4 });
const whole = new Intl.NumberFormat('en');
const clockTime = new Intl.DateTimeFormat(undefined, {
	hour: '2-digit',
	minute: '2-digit',
	second: '2-digit',
	hourCycle: 'h23',
});
const dayAndTime = new Intl.DateTimeFormat(undefined, {
	day: 'numeric',
	month: 'short',
	hour: '2-digit',
	minute: '2-digit',
	second: '2-digit',
	hourCycle: 'h23',
});

/** Formats an amount without its currency: 0.05, 1,234.50. */
export function formatAmount(value) {
	return amount.format(value).replace('-', '−');
}

/** Formats an amount in the wallet's currency: GHS 0.05. */
export function formatMoney(value) {
	return `${walletCurrency} ${formatAmount(value)}`;
}

/** Formats an amount with its sign: +40.00, −0.05. */
export function formatSigned(value) {
	return value > 0 ? `+${formatAmount(value)}` : formatAmount(value);
}

/** Formats a count: 12,345. */
export function formatCount(value) {
	return whole.format(value);
}

/** Parses a time: ISO 8601, or `YYYY-MM-DD HH:MM:SS` in UTC. */
export function readTime(text) {
	return new Date(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text) ? `${text.replace(' ', 'T')}Z` : text);
}

/** Formats a time in the browser's time zone, without the day if it is today. */
export function formatTime(text) {
	const time = readTime(text);
	const today = time.toDateString() === new Date().toDateString();
	return (today ? clockTime : dayAndTime).format(time);
}

const LABELS = new Map([['topup', 'top-up']]);

/** Formats a word of the API for display: `given_up` as `given up`, `topup` as `top-up`. */
export function formatWord(word) {
	return LABELS.get(word) ?? String(word).replaceAll('_', ' ');
}
