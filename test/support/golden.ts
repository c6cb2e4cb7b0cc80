import { readFileSync, writeFileSync } from 'node:fs';

/** The texts that a user reads in one case: one row of a golden table. */
export interface Entry {
	/** The kind of failure. */
	readonly chapter: string;
	/** The failure. */
	readonly failure: string;
	/** The operation, step, field or function. */
	readonly where: string;
	/** The lines that the user reads. */
	readonly shown: readonly string[];
}

/** Replaces parts that change from run to run, such as ports and IDs. */
export function steady(text: string): string {
	return text
		.replace(/\b(127\.0\.0\.1|localhost):\d+/g, '$1:<port>')
		.replace(/\b(msg|bulk|top|snd)_(?!id\b)[\w-]+/g, '$1_<id>')
		.replaceAll('service..example', '<unknown host>')
		.replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, '<time>');
}

/** The name of a table, the source of its texts, and the test that writes it. */
export interface GoldenHeading {
	readonly title: string;
	readonly source: string;
	/** Path of the test file, from the root of the repository. */
	readonly test: string;
}

/**
 * Formats a table: for each failure, each distinct text once, with the places that show it.
 * @param entries the rows, in any order within a chapter
 */
export function render({ title, source, test }: GoldenHeading, entries: readonly Entry[]): string {
	const lines = [`# ${title}`, '', source, `To update: \`UPDATE_GOLDEN=1 npx jest ${test} -w 1\`. Then read the diff.`];
	for (const [chapter, ofChapter] of groups(entries, (entry) => entry.chapter)) {
		lines.push('', `## ${chapter}`);
		for (const [failure, ofFailure] of groups(ofChapter, (entry) => entry.failure)) {
			lines.push('', `### ${failure}`);
			for (const [, same] of groups(ofFailure, ({ shown }) => shown.join('\n'))) {
				lines.push('', [...new Set(same.map(({ where }) => where))].join(', '), '');
				lines.push(...(same[0]?.shown ?? []).flatMap((line, index) => [...(index > 0 ? ['>'] : []), `> ${line}`]));
			}
		}
	}
	return `${lines.join('\n')}\n`;
}

/**
 * Expects the table to be the same as the committed file. With `UPDATE_GOLDEN=1`, writes the file first.
 * @param file path of the golden file
 */
export function expectGolden(file: string, table: string): void {
	if (process.env.UPDATE_GOLDEN) writeFileSync(file, table);
	expect(table).toBe(readFileSync(file, 'utf8'));
}

/**
 * Traces of faulty formatting: two periods, a period before a colon, two spaces, and JavaScript's text for a missing
 * value or an object.
 */
export const formattingArtifact = /\.\.|\.:| {2}|undefined|\[object|\.\)? \./;

function groups<T>(all: readonly T[], by: (one: T) => string): Map<string, T[]> {
	const grouped = new Map<string, T[]>();
	for (const one of all) grouped.set(by(one), [...(grouped.get(by(one)) ?? []), one]);
	return grouped;
}
