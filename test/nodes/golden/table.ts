import type { NodeResult } from '../engine';

/** What a user reads in one case. */
export interface Entry {
	/** What goes wrong, in general. */
	readonly chapter: string;
	/** What goes wrong. */
	readonly failure: string;
	/** Where: an operation, by the names that the editor shows, or a field of it. */
	readonly where: string;
	/** What the editor shows, line by line. */
	readonly shown: readonly string[];
}

/** What the editor shows of a run: its error, or the items that say what happened. */
export function shownBy({ error, outputs }: NodeResult): string[] {
	if (!error) return outputs.flatMap((items) => items.map(({ json }) => steady(JSON.stringify(json))));
	const item = error.context?.itemIndex === undefined ? '' : ` [item ${error.context.itemIndex}]`;
	return [steady(`${error.message}${item}`), steady(error.description ?? '(no description)')];
}

/** Takes out what differs from one run to the next: ports, ids and the like. */
export function steady(text: string): string {
	return text
		.replace(/\b(127\.0\.0\.1|localhost):\d+/g, '$1:<port>')
		.replace(/\b(msg|bulk|top|lookup)_(?!id\b)[\w-]+/g, '$1_<id>')
		.replaceAll('service..example', '<unknown host>')
		.replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, '<time>');
}

/** Writes the table: for each failure the texts that users read, each once, with the places where they read it. */
export function render(entries: readonly Entry[]): string {
	const lines = [
		'# What users read when something goes wrong',
		'',
		'Messages and descriptions as the editor shows them, made by the node in n8n’s engine.',
		'To make them anew: `UPDATE_GOLDEN=1 npx jest test/nodes/errors.golden.test.ts -w 1`; then read what changed.',
	];
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

function groups<T>(all: readonly T[], by: (one: T) => string): Map<string, T[]> {
	const grouped = new Map<string, T[]>();
	for (const one of all) grouped.set(by(one), [...(grouped.get(by(one)) ?? []), one]);
	return grouped;
}
