import {
	ApiError,
	asSentence,
	CanceledError,
	InputError,
	OptedOutError,
	type ErrorCode,
	type RecipientResult,
	type ServiceError,
} from '../../shared';
import { meaningOfRow } from './sendAgain';

/** Most rejections listed in one error. */
const MOST_REPORTED = 5;

const NO_TIME = new CanceledError('There was no time left to send anything', {
	endpoint: 'sms.sendBulk',
	sent: 'no',
	hint: 'Nothing was sent or charged. Use fewer numbers, or fewer lines, in one run.',
});

/** Rejections for a reason of the recipient. */
const RECIPIENT_ERRORS: ReadonlySet<ErrorCode | undefined> = new Set(['opted_out', 'failed_send']);

/**
 * The reason why a bulk send failed as a whole. Of several reasons, it is the one that another run may overcome. Opt-outs
 * are the reason only if there is no other.
 * @param rows result of each number
 * @returns undefined if anything was accepted, or may have been, or if there was nothing to send
 */
export function failureOf(rows: readonly RecipientResult[]): ServiceError | undefined {
	if (rows.some(({ outcome }) => outcome === 'accepted' || outcome === 'unknown')) return undefined;
	const all = rows.flatMap((row) => errorOf(row) ?? []);
	// A gateway that is down explains more than a rate limit that the tries ran into, or than the time that they took.
	const isDown = all.some(({ meaning }) => meaning === 'failed_send');
	const errors = isDown ? all.filter((error) => error.status !== 429 && error !== NO_TIME) : all;
	const rank = Math.min(...new Set(errors.map(rankOf)));
	const [error, ...others] = errors.filter((one) => rankOf(one) === rank);
	return error && RECIPIENT_ERRORS.has(error.meaning) ? withMessagesOf(error, others) : error;
}

function errorOf(row: RecipientResult): ServiceError | undefined {
	if ('error' in row) return row.error;
	if (row.outcome === 'not_attempted') return row.reason === 'canceled' ? NO_TIME : row.reason;
	if (row.outcome === 'rejected' || (row.outcome === 'skipped' && row.reason === 'skipped_by_service')) {
		return rejectedBy(row.message, meaningOfRow(row));
	}
	return undefined;
}

function rankOf(error: ServiceError): number {
	if (error.meaning === 'opted_out') return 3;
	if (error instanceof InputError) return 2;
	return error.meaning === 'failed_send' ? 1 : 0;
}

function rejectedBy(message: string, meaning: ErrorCode | undefined): ServiceError {
	const details = {
		endpoint: 'sms.sendBulk',
		sent: 'no',
		meaning,
		hint: 'The service accepted the request, but none of its numbers.',
	} as const;
	return meaning === 'opted_out' ? new OptedOutError(message, details) : new ApiError(message, details);
}

/** Joins the messages of several errors, each of which names its own number. */
function withMessagesOf(error: ServiceError, others: readonly ServiceError[]): ServiceError {
	const [first, ...more] = new Set([error, ...others].map(({ message }) => asSentence(message)));
	if (first === undefined || more.length === 0) return error;
	const reported = [first, ...more.slice(0, MOST_REPORTED - 1)].join(' ');
	const rest = more.length >= MOST_REPORTED ? ` And ${more.length + 1 - MOST_REPORTED} more like these.` : '';
	const { endpoint, sent, hint, status, code, meaning } = error;
	return new ApiError(`${reported}${rest}`, { endpoint, sent, hint, status, code, meaning });
}
