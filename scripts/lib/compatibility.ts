import { z } from 'zod/v4';
import measured from '../../docs/compatibility.json';

/** The features that `npm run test:compatibility` tries in each n8n version, as the table names them. */
export const features = {
	credential: 'Credential test',
	lists: 'Contacts in a dropdown',
	send: 'SMS > Send',
	sendBulk: 'SMS > Send Bulk, with its summary',
	sendOnce: 'Send Once Key',
	unknown: 'Unknown outcome, with Retry On Fail',
	trigger: 'Messaging Service Trigger',
	walletTrigger: 'Messaging Service Wallet Trigger',
	sendAndWait: 'Send and Wait for Response',
	signedLinks: 'Send and Wait rejects a changed link',
	noResponse: 'Limit Wait Time and Reminder',
	tool: 'Tool of an AI agent',
	humanReview: 'Human Review of a tool',
} as const;

/** A feature that the tests try. */
export type Feature = keyof typeof features;

/** The result of a feature in one n8n version. */
export const outcome = z.enum(['works', 'message', 'missing', 'fails']);

const words: Readonly<Record<z.output<typeof outcome>, string>> = {
	works: 'works',
	message: 'rejected with a message',
	missing: 'not in this n8n',
	fails: '**fails**',
};

const results = z.record(z.string(), z.record(z.string(), outcome));

/** The measured results by n8n version and feature. */
export const compatibility = results.parse(measured);

/** Compares two versions such as `1.110.1` by their numbers. */
export function compareVersions(first: string, second: string): number {
	return first.localeCompare(second, 'en', { numeric: true });
}

/** Makes the rows of the table: a line per feature, a column per n8n version. */
export function compatibilityRows(): { head: string[]; rows: string[][] } {
	const versions = Object.keys(compatibility).sort(compareVersions);
	return {
		head: ['feature', ...versions.map((version) => `n8n ${version}`)],
		rows: Object.entries(features).map(([feature, title]) => [
			title,
			...versions.map((version) => words[compatibility[version]?.[feature] ?? 'fails']),
		]),
	};
}
