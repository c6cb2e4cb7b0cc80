import { createHash, randomBytes } from 'node:crypto';
import type { Database } from '../database/database';

/** The logins on the page, stored as digests. A login ends with its token. */
export interface Sessions {
	/**
	 * Starts a session.
	 * @param token the ID of a token
	 * @param seconds how long it lasts
	 * @returns its secret, for the cookie
	 */
	start(token: string, seconds: number): Promise<string>;
	/** @returns the ID of the session's token; undefined if the session ended */
	find(secret: string): Promise<string | undefined>;
	/** Ends a session, if it exists. */
	end(secret: string): Promise<void>;
}

/** Creates the functions of {@link Sessions}. All processes share the sessions. */
export function createSessions(database: Database): Sessions {
	return {
		async start(token, seconds) {
			const secret = randomBytes(32).toString('base64url');
			await database.query('insert into relay.session (digest, token_id, until) values ($1, $2, $3)', [
				digestOf(secret),
				token,
				new Date(Date.now() + seconds * 1000),
			]);
			return secret;
		},
		async find(secret) {
			const [row] = await database.query<{ token_id: string }>(
				'select token_id from relay.session where digest = $1 and until > $2',
				[digestOf(secret), new Date()],
			);
			return row?.token_id;
		},
		async end(secret) {
			await database.query('delete from relay.session where digest = $1', [digestOf(secret)]);
		},
	};
}

/** Secrets are long and random, so a plain digest is enough. */
function digestOf(secret: string): string {
	return createHash('sha256').update(`relay-session:${secret}`).digest('base64url');
}
