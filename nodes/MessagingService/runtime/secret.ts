import { createHash, timingSafeEqual } from 'crypto';

const SHORTEST = 32;

/**
 * Says what is wrong with a webhook secret, if anything: it stands in a URL path and carries at least 128 bits.
 * @returns a sentence that tells what to do, or undefined
 */
export function secretIssue(secret: string): string | undefined {
	const advice = `Use at least ${SHORTEST} random letters and digits, for example from a password manager`;
	if (secret === '') return `Secret is missing. ${advice}`;
	if (!/^[A-Za-z0-9_-]+$/.test(secret)) return `Secret may hold only letters, digits, - and _. ${advice}`;
	if (secret.length < SHORTEST) return `Secret is too short to be safe: ${secret.length} characters. ${advice}`;
	if (new Set(secret).size < 8) return `Secret is too easy to guess. ${advice}`;
	return undefined;
}

/**
 * Says what is wrong with the secrets of a credential, if anything.
 * @param previousSecret may be empty
 */
export function secretsIssue(secret: string, previousSecret: string): string | undefined {
	const issue = secretIssue(secret);
	if (issue !== undefined || previousSecret === '') return issue;
	const previousIssue = secretIssue(previousSecret);
	return previousIssue && `Previous ${previousIssue}`;
}

/**
 * Whether a value is one of the secrets. Takes the same time wherever it differs: digests are compared, so that
 * not even a length shows.
 * @param secrets those that {@link secretIssue} finds fault with never match
 */
export function isSecret(given: string, secrets: readonly string[]): boolean {
	const digest = (text: string) => createHash('sha256').update(text).digest();
	const candidate = digest(given);
	const strong = secrets.filter((secret) => secretIssue(secret) === undefined);
	return strong.map((secret) => timingSafeEqual(candidate, digest(secret))).includes(true);
}
