import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createChanges } from './changes';
import { DatabaseError, FolderInUse } from './database/database';
import { migrate, MIGRATIONS } from './database/migrate';
import { isPostgresUrl, openDatabase } from './database/open';
import { HttpError } from './http/httpError';
import { newTokenSchema } from './http/schemas';
import { createTokens, type Tokens } from './http/tokens';
import { readSettings, SettingsError } from './settings';

const USAGE = `Usage: relay token create --name NAME --kind n8n|zapier|script|admin
       relay token list
       relay token revoke ID
With --folder PATH or --database URL, if the relay is started with it.`;

interface TokenArguments {
	readonly action: string | undefined;
	readonly rest: readonly string[];
	readonly name?: string;
	readonly kind?: string;
	readonly folder?: string;
	readonly database?: string;
}

/**
 * Creates, lists or revokes tokens in the database, without the HTTP API.
 * @param args the arguments after `token`
 * @returns the text to print
 * @throws SettingsError if the arguments are wrong; DatabaseError if the database cannot be used
 */
export async function runTokenCommand(
	args: readonly string[],
	env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
	const { action, rest, folder, database: url, ...input } = parse(args);
	const settings = readSettings(
		[...(folder === undefined ? [] : ['--folder', folder]), ...(url === undefined ? [] : ['--database', url])],
		env,
	);
	const run = commandOf(action, rest, input);
	if (!isPostgresUrl(settings.database) && !existsSync(join(settings.database, 'pgdata'))) {
		throw new DatabaseError(
			`${settings.database} has no relay. Start the relay once, or choose its folder with --folder.`,
		);
	}
	const database = await openDatabase(settings.database).catch((error: unknown) => {
		if (!(error instanceof FolderInUse)) throw error;
		throw new DatabaseError(
			'The relay runs and uses its folder. Use its page, or stop it first. With PostgreSQL, this command works at any time.',
		);
	});
	try {
		await migrate(database, MIGRATIONS);
		return await run(createTokens({ database, changes: createChanges() }));
	} catch (error) {
		throw error instanceof HttpError ? new SettingsError(error.message) : error;
	} finally {
		await database.close();
	}
}

/** Checks the arguments before the database is opened. */
function commandOf(
	action: string | undefined,
	rest: readonly string[],
	input: { readonly name?: string; readonly kind?: string },
): (tokens: Tokens) => Promise<string> {
	const [id] = rest;
	if (action === 'create' && rest.length === 0) {
		const read = newTokenSchema.safeParse(input);
		if (!read.success) {
			const field = String(read.error.issues[0]?.path[0]);
			const allowed = field === 'kind' ? 'n8n, zapier, script or admin' : 'a name of 1 to 100 characters';
			throw new SettingsError(`--${field} must be ${allowed}.\n${USAGE}`);
		}
		return async (tokens) => {
			const { id: created, token } = await tokens.create(read.data);
			return `${created} created. Its token is shown only now:\n${token}\n`;
		};
	}
	if (action === 'list' && rest.length === 0) {
		return async (tokens) => {
			const lines = (await tokens.list()).map(
				({ id: known, kind, last_used_at, name }) =>
					`${known}  ${kind.padEnd(6)}  ${(last_used_at ?? 'never used').padEnd(24)}  ${name}\n`,
			);
			return lines.join('');
		};
	}
	if (action === 'revoke' && id !== undefined && rest.length === 1) {
		return async (tokens) => {
			await tokens.revoke(id);
			return `${id} revoked. Its subscriptions have ended.\n`;
		};
	}
	throw new SettingsError(USAGE);
}

function parse(args: readonly string[]): TokenArguments {
	const type = 'string';
	const options = { name: { type }, kind: { type }, folder: { type }, database: { type } } as const;
	try {
		const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
		const [action, ...rest] = positionals;
		return { action, rest, ...values };
	} catch {
		// The parser's message would quote the arguments, which may have a password.
		throw new SettingsError(USAGE);
	}
}
