import { meaningOf, parseJson, type Endpoint } from '../shared';
import { contractLists, errorLists, NEGATIVE, negativeWords, positiveWords, type ContractList } from './contractLists';
import { outcomeOf, readAgain, type Exchange } from './exchange';
import { maskPath } from './mapKeys';
import { isPublicWord, type NameMask } from './publicNames';
import { findSources, isReadAt, replaced, RESULTS, shorten, valuesIn, type Source } from './sources';
import type { Path } from './structure';

/** A name to add to a list of the contract, so that the client reads a field. Its names are masked. */
export interface MissingLine extends Source, Pick<ContractList, 'file' | 'list'> {
	readonly endpoint: Endpoint;
	/** End of the path that the list needs: `['wallet', 'left']` for `wallet.left`. For a list of words, the word. */
	readonly place: Path;
}

/** A line with the real names of a body. */
interface FoundLine extends MissingLine {
	readonly body: unknown;
	/** A status that the contract does not know, in lower case. */
	readonly word?: string;
}

/** The call and the body, as the client would read them with some lines added. */
interface Trial {
	readonly exchange: Exchange;
	readonly body: unknown;
}

/** Maximum number of times that all calls are read with the lines of the others. */
const MOST_ROUNDS = 3;

/**
 * Finds the fields that the client does not read although a value with a similar name is there. A line counts only if the
 * client reads the value with it. Several lines for one field of a call are alternatives.
 */
export async function findMissingLines(exchanges: readonly Exchange[], mask: NameMask): Promise<MissingLine[]> {
	const lines: FoundLine[] = [];
	// The line of one call can change how another one is read.
	for (let round = 0, before = -1; round < MOST_ROUNDS && before < lines.length; round++) {
		before = lines.length;
		for (const exchange of exchanges) lines.push(...(await linesOf(exchange, lines)));
	}
	return lines.map(({ body, word, ...line }) => {
		const path = maskPath(body, line.path, mask);
		if (word !== undefined) return { ...line, path, place: [mask.mask(word, !isPublicWord(word))] };
		return { ...line, path, place: path.slice(path.length - line.place.length) };
	});
}

/** @param known lines to read the call with */
async function linesOf(exchange: Exchange, known: readonly FoundLine[]): Promise<FoundLine[]> {
	const json = parseJson(exchange.response?.body);
	const lists = Object.entries(listsFor(exchange));
	if (!json || lists.length === 0) return [];
	const body = exchange.endpoint.response.kind === 'list' ? shorten(json.value) : json.value;
	const words = wordsToAdd({ exchange, body });
	let trial: Trial = { exchange, body: withKnownWords(body, words) };
	for (const { list, path, place } of known) {
		for (const [field] of lists.filter(([, one]) => one.list === list)) trial = withLine(trial, field, path, place);
	}
	let sources = await findSources(trial.exchange, trial.body);
	const lines: FoundLine[] = [];
	// A response can become readable only with the line of another field.
	for (let before = -1; before < lines.length;) {
		before = lines.length;
		for (const [field, list] of lists) {
			if (sources.some((source) => source.field === field)) continue;
			const found = await linesFor(field, list, trial, sources);
			if (!found[0]) continue;
			lines.push(...found.map(({ line }) => line));
			trial = found[0].trial;
			sources = await findSources(trial.exchange, trial.body);
		}
	}
	const needed = await neededWords(trial, words);
	// A name that a line adds as that of a status makes its word count, too.
	const added = new Set(lines.map(({ path }) => JSON.stringify(path)));
	return [...lines, ...words.filter((word) => needed.includes(word) || added.has(JSON.stringify(word.path)))];
}

/** Lines for the statuses of a call that costs something, if the contract does not know them. Not all may be needed. */
function wordsToAdd({ exchange, body }: Trial): FoundLine[] {
	const { endpoint } = exchange;
	if (endpoint.charges === false) return [];
	return valuesIn(body).flatMap(({ path, value }) => {
		if (typeof value !== 'string' || !/\p{L}/u.test(value) || meaningOf(value) !== 'open') return [];
		const { file, list, words } = NEGATIVE.test(value) ? negativeWords : positiveWords;
		if (!isNamedLike(path, { words })) return [];
		const word = value.trim().toLowerCase();
		return [{ file, list, endpoint, field: 'status', path, place: [word], word, body }];
	});
}

/** The body as it is read once the words are added. Only then can the client read the rest of it. */
function withKnownWords(body: unknown, words: readonly FoundLine[]): unknown {
	return words.reduce(
		(known, { list, path }) => replaced(known, path, list === positiveWords.list ? 'queued' : 'failed'),
		body,
	);
}

/** The words without which the outcome is unknown, although all other lines are added. */
async function neededWords({ exchange, body }: Trial, words: readonly FoundLine[]): Promise<FoundLine[]> {
	if ((await outcomeWith(exchange, body)) === 'unknown') return [];
	const needed: FoundLine[] = [];
	for (const line of words) {
		const without = replaced(body, line.path, valueAt(line.body, line.path));
		if ((await outcomeWith(exchange, without)) === 'unknown') needed.push(line);
	}
	return needed;
}

async function outcomeWith(exchange: Exchange, body: unknown) {
	return outcomeOf({ ...exchange, outcome: await readAgain(exchange, body) });
}

function listsFor({ endpoint, response, outcome }: Exchange): Readonly<Record<string, ContractList>> {
	const { status = 0 } = response ?? {};
	if (status >= 200 && status < 300) return contractLists[endpoint.id] ?? {};
	return outcome.outcome === 'rejected' ? errorLists : {};
}

async function linesFor(
	field: string,
	{ words, others, ...list }: ContractList,
	trial: Trial,
	sources: readonly Source[],
): Promise<Array<{ readonly line: FoundLine; readonly trial: Trial }>> {
	const { exchange, body } = trial;
	const read = new Set(sources.map(({ path }) => JSON.stringify(path)));
	const found: Array<{ readonly line: FoundLine; readonly trial: Trial }> = [];
	for (const { path, value } of valuesIn(body)) {
		if (read.has(JSON.stringify(path)) || !isNamedLike(path, { words, others })) continue;
		for (const place of placesOf(field, path, exchange.endpoint)) {
			const next = withLine(trial, field, path, place);
			if (!(await isReadAt(next.exchange, next.body, { field, path: next.path }, value))) continue;
			found.push({ line: { ...list, endpoint: exchange.endpoint, field, path, place, body }, trial: next });
			break;
		}
	}
	return found;
}

/** Names that say little without the name around them, as in `{ credit: { value: 5 } }`. */
const GENERIC = /^(value|amount|total|text|name|label|id|code|current)$/;

/** Words of a name that is about something else, unless the field itself has the word. */
const OTHER =
	/^(accounts?|users?|customers?|clients?|senders?|owner|merchant|company|team|tenant|plan|template|request|meta|pagination|links?|url|callback|threshold|limit|min|minimum|max|maximum|previous|before|opening|old|updated|modified|expires|expiry|rate|per|count|segments?|type|code|at|on|date|time|ids?)$/;

/** Names of an object about an error, such as `requestError`. */
const ERROR = /^(errors?|exceptions?)$/;

function isNamedLike(path: Path, { words, others }: Pick<ContractList, 'words' | 'others'>): boolean {
	const names = path.filter((part) => typeof part === 'string').map(wordsOf);
	const own = names.at(-1) ?? [];
	const near = isGeneric(own) ? [...own, ...(names.at(-2) ?? [])] : own;
	if (!near.some((word) => words.test(word)) || near.some((word) => others?.test(word))) return false;
	const around = names.filter((name) => name === own || !name.some((word) => ERROR.test(word)));
	return around.flat().every((word) => !OTHER.test(word) || words.test(word));
}

function isGeneric(words: readonly string[]): boolean {
	return words.every((word) => GENERIC.test(word));
}

function wordsOf(name: string): string[] {
	return name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g)?.map((word) => word.toLowerCase()) ?? [];
}

/** The places to try, the shortest first, but no generic name alone. Rows of a list and error bodies need the whole place. */
function placesOf(field: string, path: Path, endpoint: Endpoint): Path[] {
	if (field.startsWith('error.')) return [path];
	const names = path.slice(path.findLastIndex((part) => typeof part === 'number') + 1);
	if (endpoint.response.kind === 'list' || field.startsWith(RESULTS)) {
		// The status of a result may be an object, so no name within it is looked for.
		const isWithinStatus = field === `${RESULTS}status` && names[0] === 'status';
		return names.length === path.length || isWithinStatus ? [] : [names];
	}
	const shortest = names.length > 1 && isGeneric(wordsOf(String(names.at(-1)))) ? 2 : 1;
	return names
		.map((_name, index) => names.slice(index))
		.filter((place) => place.length >= shortest)
		.reverse();
}

/**
 * A record is read with the line itself. The names of rows and errors cannot be changed from here, so the value is
 * copied to the field's own name.
 */
function withLine({ exchange, body }: Trial, field: string, path: Path, place: Path): Trial & { readonly path: Path } {
	const { endpoint } = exchange;
	const { response } = endpoint;
	const own = field.replace(/^(results|error)\./, '');
	if (own !== field || response.kind === 'list') {
		const copy = [...path.slice(0, path.length - place.length), own];
		const value = valueAt(body, path);
		return { exchange, body: value === undefined ? body : replaced(body, copy, value), path: copy };
	}
	const aliases = { ...response.aliases, [field]: [...(response.aliases?.[field] ?? []), place.join('.')] };
	return { exchange: { ...exchange, endpoint: { ...endpoint, response: { ...response, aliases } } }, body, path };
}

function valueAt(body: unknown, path: Path): unknown {
	return valuesIn(body).find((one) => JSON.stringify(one.path) === JSON.stringify(path))?.value;
}
