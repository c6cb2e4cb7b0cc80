import { createHash, timingSafeEqual } from 'crypto';

const SHORTEST = 32;

/**
 * Says what is wrong with a webhook secret, if anything: it stands in a URL path and carries at least 128 bits.
 * @returns a sentence that tells what to do, or undefined
 */
export function secretIssue(secret: string): string | undefined {
	const cure = `Use at least ${SHORTEST} random letters and digits, for example from a password manager`;
	if (secret === '') return `Secret is missing. ${cure}`;
	if (!/^[A-Za-z0-9_-]+$/.test(secret)) return `Secret may hold only letters, digits, - and _. ${cure}`;
	if (secret.length < SHORTEST) return `Secret is too short to be safe: ${secret.length} characters. ${cure}`;
	if (new Set(secret).size < 8) return `Secret is too easy to guess. ${cure}`;
	return undefined;
}

/**
 * Whether a value is one of the secrets. Takes the same time wherever it differs: digests are compared, so that
 * not even a length shows.
 * @param secrets empty ones never match
 */
export function isSecret(given: string, secrets: readonly string[]): boolean {
	const digest = (text: string) => createHash('sha256').update(text).digest();
	const candidate = digest(given);
	return secrets.map((secret) => secret !== '' && timingSafeEqual(candidate, digest(secret))).includes(true);
}
