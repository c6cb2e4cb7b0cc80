import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import type { Cipher } from '../cipher';
import type { Database } from '../database/database';

/** What a text is. Equal texts of two kinds have different digests. */
export type DigestKind = 'idempotency-key' | 'content' | 'api-key' | 'call' | 'via';

/** Makes a digest (HMAC-SHA256) that reveals nothing about the text without the relay's secret. */
export type Digest = (kind: DigestKind, text: string) => string;

/**
 * Creates the digests of a relay. Their secret is random and sealed in the database, so digests stay the same after a
 * move to another database with another encryption key.
 * @param cipher opens the secret
 */
export async function createDigest(database: Database, cipher: Cipher): Promise<Digest> {
	await database.query(
		`insert into relay.setting (name, value) values ('digest_secret', $1) on conflict (name) do nothing`,
		[cipher.seal(randomBytes(32).toString('base64url'))],
	);
	const [row] = await database.query<{ value: string }>(`select value from relay.setting where name = 'digest_secret'`);
	const secret = createSecretKey(cipher.open(row?.value ?? ''), 'utf8');
	return (kind, text) => createHmac('sha256', secret).update(`${kind}:${text}`).digest('base64url');
}
