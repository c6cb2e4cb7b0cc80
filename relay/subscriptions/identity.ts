import { createHash } from 'node:crypto';
import type { Filter } from './filter';
import type { NewSubscription } from './schema';

/** References of production workflows. Test runs end in `/test`. */
const PRODUCTION_REFERENCE = /^n8n\/.+(?<!\/test)$/;

/**
 * The identity of a subscription: its reference, or else token, URL, types and filter. Creating a subscription with the
 * same identity again updates it.
 */
export function identityOf(token: string, input: NewSubscription): string {
	return input.reference === undefined ? contentIdentity(token, input) : `reference:${input.reference}`;
}

/** The identity of a subscription without a reference, see {@link identityOf}. */
export function contentIdentity(
	token: string,
	{ url, types, filter = {} }: Readonly<{ url: string; types: readonly string[]; filter?: Filter | undefined }>,
): string {
	const lists = Object.entries(filter).map(([name, value]) => [name, Array.isArray(value) ? [...value].sort() : value]);
	const parts = [token, url, [...new Set(types)].sort(), lists.sort()];
	return `content:${createHash('sha256').update(JSON.stringify(parts)).digest('base64url')}`;
}

/**
 * Whether a deleted subscription keeps its events for a while. n8n deletes and creates at every publish, and no event
 * may be lost in between.
 */
export function keepsEvents(reference: string | null): boolean {
	return reference !== null && PRODUCTION_REFERENCE.test(reference);
}
