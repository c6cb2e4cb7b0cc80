import type { NodeResult } from '../engine';

/** The texts that a user reads in one case. */
export interface Entry {
	/** The kind of failure. */
	readonly chapter: string;
	/** The failure. */
	readonly failure: string;
	/** The operation or field, by its name in the editor. */
	readonly where: string;
	/** The lines that the editor shows. */
	readonly shown: readonly string[];
}

/** Texts that the editor shows after a run: its error, or the items that describe it. */
export function shownBy({ error, outputs }: NodeResult): string[] {
	if (!error) return outputs.flatMap((items) => items.map(({ json }) => steady(JSON.stringify(json))));
	const item = error.context?.itemIndex === undefined ? '' : ` [item ${error.context.itemIndex}]`;
	return [steady(`${error.message}${item}`), steady(error.description ?? '(no description)')];
}

/** Replaces parts that change from run to run, such as ports and IDs. */
export function steady(text: string): string {
	return text
		.replace(/\b(127\.0\.0\.1|localhost):\d+/g, '$1:<port>')
		.replace(/\b(msg|bulk|top|lookup)_(?!id\b)[\w-]+/g, '$1_<id>')
		.replaceAll('service..example', '<unknown host>')
		.replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, '<time>');
}

/** Formats the table: for each failure, each distinct text once, with the places that show it. */
export function render(entries: readonly Entry[]): string {
	const lines = [
		'# What users read when something goes wrong',
		'',
		'Messages and descriptions as the editor shows them, made by the node in n8n’s engine.',
		'To update: `UPDATE_GOLDEN=1 npx jest test/nodes/errors.golden.test.ts -w 1`. Then read the diff.',
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
