import { parse, protocol, type PGlite } from '@electric-sql/pglite';
import type { Sql } from './database';

/**
 * How long a plan is used, in milliseconds. A plan that was made for a small table may read all rows, and PGlite has no
 * autovacuum that would replace it when the table has grown.
 */
const PLAN_MS = 1_000;

const { serialize } = protocol;

/**
 * Lets PGlite parse a statement once for many runs. For a short statement, PGlite needs longer to parse and plan it than
 * to run it. A statement stays parsed when its transaction fails.
 * @returns runs a statement in the current transaction, or in one of its own; throws the error of the database
 */
export function createPrepared(pglite: PGlite): Sql['prepared'] {
	const statements = new Map<string, { readonly name: string; until: number }>();

	return async <Row extends object>(text: string, values: ReadonlyArray<string | number>) =>
		await pglite.runExclusive(async () => {
			const statement = statements.get(text) ?? { name: `s${statements.size}`, until: -Infinity };
			statements.set(text, statement);
			const { name, until } = statement;
			const now = performance.now();
			const isParsed = now < until;
			// After an error, PGlite may or may not know the statement. To close an unknown one is no error.
			statement.until = -Infinity;
			const responses = await pglite.execProtocolStream(
				Buffer.concat([
					...(isParsed ? [] : [serialize.close({ type: 'S', name }), serialize.parse({ name, text })]),
					serialize.bind({ statement: name, values: values.map(String) }),
					serialize.describe({ type: 'P' }),
					serialize.execute({}),
					serialize.sync(),
				]),
			);
			statement.until = isParsed ? until : now + PLAN_MS;
			// The caller knows the columns, as with PGlite's own `query`.
			return parse.parseResults(responses, pglite.parsers).flatMap(({ rows }) => rows as Row[]);
		});
}
