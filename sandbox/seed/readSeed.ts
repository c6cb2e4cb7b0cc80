import { readFileSync } from 'node:fs';
import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument, type ScalarTag } from 'yaml';
import { z } from 'zod/v4';
import { toErrorInfo } from '../errorInfo';
import { describeIssue } from '../http/parse';
import { type Seed, seedSchema, spellOut } from './seed';

/** A seed file cannot be used. The message names the file, and each wrong line with the reason. */
export class SeedError extends Error {
	override readonly name = 'SeedError';
}

/** In YAML, +233201234567 and 0201234567 would be numbers, without the plus sign and the zero. */
const integer: ScalarTag = {
	default: true,
	tag: 'tag:yaml.org,2002:int',
	test: /^(0|-?[1-9][0-9]*)$/,
	resolve: Number,
	identify: Number.isSafeInteger,
};

/**
 * Reads a seed file.
 * @param file path of a file in YAML or JSON
 * @throws SeedError
 */
export function readSeed(file: string): Seed {
	try {
		return parseSeed(readFileSync(file, 'utf8'), file);
	} catch (error) {
		if (error instanceof SeedError) throw error;
		throw new SeedError(`${file} cannot be read: ${toErrorInfo(error).message}`, { cause: error });
	}
}

/**
 * Parses the text of a seed file. JSON is read as YAML, which contains it.
 * @param text YAML or JSON
 * @param file its name, for the error
 * @throws SeedError
 */
export function parseSeed(text: string, file: string): Seed {
	const lineCounter = new LineCounter();
	const document = parseDocument(text, {
		lineCounter,
		prettyErrors: false,
		customTags: (tags) => [...tags.filter((tag) => typeof tag === 'string' || tag.tag !== integer.tag), integer],
	});
	const place = (offset: number) => lineCounter.linePos(offset).line;
	const fail = (problems: readonly (readonly [line: number, problem: string])[]): never => {
		const lines = [...problems].sort(([a], [b]) => a - b).map(([line, problem]) => `Line ${line}: ${problem}`);
		throw new SeedError([`${file} cannot be used as a seed.`, ...lines].join('\n'));
	};
	if (document.errors.length > 0) fail(document.errors.map(({ pos, message }) => [place(pos[0]), message]));
	const data = spellOut(toValue(document, file));
	if (data === null) throw new SeedError(`${file} cannot be used as a seed, because it is empty.`);
	const parsed = z.safeParse(seedSchema, data);
	if (parsed.success) return parsed.data;
	return fail(parsed.error.issues.map((issue) => [place(offsetOf(document, issue)), `${describeIssue(issue, data)}.`]));
}

/** @throws SeedError if an alias has no anchor, or repeats too much */
function toValue(document: Document, file: string): unknown {
	try {
		return document.toJS();
	} catch (error) {
		throw new SeedError(`${file} cannot be used as a seed: ${toErrorInfo(error).message}`, { cause: error });
	}
}

/** Finds where a wrong value begins in the text; for a missing one, where the value begins that should have it. */
function offsetOf(document: Document, issue: z.core.$ZodIssue): number {
	const path = [...issue.path];
	const unknownKey = issue.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
	const parent = path.length > 0 ? document.getIn(path, true) : document.contents;
	if (unknownKey !== undefined && isMap(parent)) {
		const pair = parent.items.find(({ key }) => isScalar(key) && key.value === unknownKey);
		if (isNode(pair?.key)) return pair.key.range?.[0] ?? 0;
	}
	for (; path.length > 0; path.pop()) {
		const node = document.getIn(path, true);
		if (isNode(node)) return node.range?.[0] ?? 0;
	}
	return 0;
}
