/** One attempt of a call, as the header `Relay-Attempt` of a client names it. */
export interface CallAttempt {
	/** The client's ID of the call, the same in all its attempts. In the database, its digest. */
	readonly call: string;
	/** From 1. */
	readonly number: number;
}

/** The header `Relay-Attempt`: an integer with a parameter (RFC 9651, 3.3). */
export const CALL_ATTEMPT = /^([1-9]\d{0,5});\s?call="([!#-[\]-~]{1,64})"$/;

/** Whether a header `Relay-Attempt` only asks for a relay. There is no attempt 0, so nothing is forwarded. */
export function isQuestion(header: string): boolean {
	return header.trim() === '0';
}

/**
 * Reads the header `Relay-Attempt`, such as `2;call="9b1c"`.
 * @returns undefined if it is not valid
 */
export function parseCallAttempt(header: string): CallAttempt | undefined {
	const [, number, call] = CALL_ATTEMPT.exec(header.trim()) ?? [];
	return number === undefined || call === undefined ? undefined : { call, number: Number(number) };
}
