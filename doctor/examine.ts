import { parseJson, type Endpoint, type Outcome, type Template } from '../shared';
import type { Exchange } from './exchange';
import { maskPath } from './mapKeys';
import type { NameMask } from './publicNames';
import { findSources, type Source } from './sources';
import { describe, hasPath, templateOf, writePath } from './template';

/** A call without its values: what the report may show. */
export interface Examined {
	readonly endpoint: Endpoint;
	/** HTTP status; undefined if no response came. */
	readonly status: number | undefined;
	readonly outcome: Outcome<unknown>;
	/** Structure of the body; undefined if it is not JSON. */
	readonly template: Template | undefined;
	/** A body that is not JSON. */
	readonly other: 'web page' | 'text' | 'empty body' | undefined;
	/** The fields that the client read, with their places in the template. */
	readonly sources: readonly Source[];
	/** Response in words: status and structure, e.g. `HTTP 200 with { balance: number }`. */
	readonly words: string;
	/** Places of a field in the body, e.g. `data.wallet_balance`. */
	readonly placesOf: (field: string) => string[];
}

/** Examines a call: traces its fields, and reduces its body to its structure. */
export async function examine(exchange: Exchange, mask: NameMask): Promise<Examined> {
	const { endpoint, response, outcome } = exchange;
	const json = parseJson(response?.body);
	const found = json ? await findSources(exchange, json.value) : [];
	const meaning = outcome.outcome === 'accepted' ? undefined : outcome.error.meaning;
	const errorTexts = new Set(
		found.filter(({ field }) => field === 'error.message').map(({ path }) => JSON.stringify(path)),
	);
	const template =
		json && templateOf(json.value, mask, (path) => (errorTexts.has(JSON.stringify(path)) ? meaning : undefined));
	const sources = found.flatMap(({ field, path }) => {
		const masked = maskPath(json?.value, path, mask);
		return hasPath(template, masked) ? [{ field, path: masked }] : [];
	});
	const other = json ? undefined : otherBody(response?.body);
	return {
		endpoint,
		status: response?.status,
		outcome,
		template,
		other,
		sources,
		words: wordsFor(response?.status, template, other),
		placesOf: (field) =>
			sources.filter((source) => source.field === field).map(({ path }) => `\`${writePath(path) || '(itself)'}\``),
	};
}

function otherBody(body: string | undefined): Examined['other'] {
	const text = body?.trim() ?? '';
	if (text === '') return 'empty body';
	return text.startsWith('<') ? 'web page' : 'text';
}

function wordsFor(status: number | undefined, template: Template | undefined, other: Examined['other']): string {
	if (status === undefined) return 'no response';
	const body =
		template === undefined
			? other === 'text'
				? 'a text that is not JSON'
				: `a ${other}`
			: `\`${describe(template)}\``;
	return `HTTP ${status} with ${body}`;
}
