import { createHash, randomBytes, timingSafeEqual } from 'crypto';

const SHORTEST = 32;

/** The next step after {@link secretsIssue}. */
export const SECRET_ADVICE = `Use at least ${SHORTEST} random letters and digits, for example from a password manager`;

/** Generates a secret of 160 bits. It consists of letters and digits, so that a double click selects all of it. */
export function generateSecret(): string {
	return randomBytes(20).toString('hex');
}

/**
 * Checks a webhook secret. It is part of a URL path and must have at least 128 bits.
 * @returns an error for the user, or undefined
 */
export function secretIssue(secret: string): string | undefined {
	if (secret === '') return 'Secret is missing';
	if (!/^[A-Za-z0-9_-]+$/.test(secret)) return 'Secret may contain only letters, digits, - and _';
	if (secret.length < SHORTEST) return `Secret is too short to be safe: ${secret.length} characters`;
	if (new Set(secret).size < 8) return 'Secret is too easy to guess';
	return undefined;
}

/**
 * Checks the secrets of a credential.
 * @param previousSecret may be empty
 * @returns an error for the user without the next step, or undefined
 */
export function secretsIssue(secret: string, previousSecret: string): string | undefined {
	const issue = secretIssue(secret);
	if (issue !== undefined || previousSecret === '') return issue;
	const previousIssue = secretIssue(previousSecret);
	return previousIssue && `Previous ${previousIssue}`;
}

/**
 * Whether a value is one of the secrets. Compares digests in constant time, so that timing reveals nothing, not even
 * the length.
 * @param secrets a secret that {@link secretIssue} rejects never matches
 */
export function isSecret(given: string, secrets: readonly string[]): boolean {
	const digest = (text: string) => createHash('sha256').update(text).digest();
	const candidate = digest(given);
	const strong = secrets.filter((secret) => secretIssue(secret) === undefined);
	return strong.map((secret) => timingSafeEqual(candidate, digest(secret))).includes(true);
}

/** Whether a user forgot to replace the placeholder at the end of the URL. */
export function isPlaceholder(given: string): boolean {
	return /^:?secret$/i.test(given);
}
