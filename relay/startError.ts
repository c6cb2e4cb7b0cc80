import { DatabaseError } from './database/database';
import { SettingsError } from './settings';

const UNREACHABLE = 'The database cannot be reached. Start PostgreSQL, or correct the address in --database.';
const REJECTED = 'PostgreSQL rejected the login. Correct user and password in --database.';

/** Errors of Node and of PostgreSQL (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
const KNOWN: Readonly<Record<string, string>> = {
	EADDRINUSE: 'The port is in use. Choose another one with --port, or 0 for a free one.',
	EADDRNOTAVAIL: 'This machine does not have the address in --host. Use 127.0.0.1, or 0.0.0.0 for all addresses.',
	EACCES: 'This user may not use the port or the folder. Choose others with --port and --folder.',
	ECONNREFUSED: UNREACHABLE,
	ENOTFOUND: UNREACHABLE,
	ETIMEDOUT: UNREACHABLE,
	'28P01': REJECTED,
	'28000': REJECTED,
	'3D000': 'PostgreSQL has no database with the name in --database. Create it, or correct the name.',
	'42501': 'The PostgreSQL user may not create schemas. Grant it CREATE on the database.',
};

/**
 * Explains an error of the start.
 * @returns a text for the user; undefined for an error that is not expected
 */
export function explainStartError(error: unknown): string | undefined {
	if (error instanceof SettingsError || error instanceof DatabaseError) return error.message;
	const code = error instanceof Error && 'code' in error ? error.code : undefined;
	return typeof code === 'string' ? KNOWN[code] : undefined;
}
