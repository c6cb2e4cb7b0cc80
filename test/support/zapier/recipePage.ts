import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(__dirname, '..', '..', '..', 'docs', 'zapier-recipes');

/** A row of a table, by the names of its columns. */
export type RecipeRow = Readonly<Record<string, string>>;

/** One step of a recipe, as its page describes it. */
export interface RecipeStep {
	/** Its number, as in `{{1. Phone}}`. */
	readonly number: number;
	readonly app: string;
	readonly event: string;
	/** The values that the user enters, by the labels of the fields. They may contain `{{1. Phone}}`. */
	readonly enter: Readonly<Record<string, string>>;
	/** The values with the sample data, by the labels of the fields. Only for a step that writes to another app. */
	readonly written: Readonly<Record<string, string>>;
	/** The output with the sample data, by the labels of the fields. Only for a step of another app and a trigger. */
	readonly sample: Readonly<Record<string, string>>;
	/** The conditions of a filter. */
	readonly conditions: readonly RecipeRow[];
	/** The result of a send with the sample data. */
	readonly result: Readonly<Record<string, string>>;
}

/** A page of docs/zapier-recipes. */
export interface Recipe {
	/** Name of its file. */
	readonly file: string;
	readonly title: string;
	/** The steps of its first table. */
	readonly overview: readonly RecipeRow[];
	readonly steps: readonly RecipeStep[];
}

/** Reads all recipes. @throws Error for a step without a number, an app and an event in its heading */
export function readRecipes(): Recipe[] {
	const files = readdirSync(FOLDER).filter((file) => file !== 'README.md');
	return files.map((file) => readRecipe(file, readFileSync(join(FOLDER, file), 'utf8')));
}

function readRecipe(file: string, page: string): Recipe {
	const [intro = '', ...sections] = page.split(/^## /m);
	const [overview = []] = tablesIn(intro);
	const steps = sections.filter((section) => section.startsWith('Step ')).map((section) => readStep(file, section));
	return { file, title: /^# (.+)$/m.exec(intro)?.[1] ?? '', overview, steps };
}

function readStep(file: string, section: string): RecipeStep {
	const [, number, app, event] = /^Step (\d): ([^,\n]+), (.+)$/m.exec(section) ?? [];
	if (number === undefined || app === undefined || event === undefined) {
		throw new Error(`${file} has a step without a number, an app and an event: ${section.split('\n', 1)[0]}`);
	}
	const rows = tablesIn(section).flat();
	const column = (key: string, name: string) =>
		Object.fromEntries(rows.flatMap((row) => (key in row && name in row ? [[row[key] ?? '', row[name] ?? '']] : [])));
	return {
		number: Number(number),
		app,
		event,
		enter: column('field', 'enter'),
		written: column('field', 'with the sample data'),
		sample: column('field', 'sample'),
		conditions: rows.filter((row) => 'condition' in row),
		result: column('result', 'value'),
	};
}

/** The tables of a text, each with its rows. A cell in backticks loses them. */
function tablesIn(text: string): RecipeRow[][] {
	const blocks = text.split(/\n\s*\n/).filter((block) => block.trimStart().startsWith('|'));
	return blocks.map((block) => {
		const [head = [], , ...rows] = block.trim().split('\n').map(cellsOf);
		return rows.map((cells) => Object.fromEntries(head.map((name, index) => [name, cells[index] ?? ''])));
	});
}

function cellsOf(line: string): string[] {
	return line
		.split('|')
		.slice(1, -1)
		.map((cell) => cell.trim().replace(/^`(.*)`$/, '$1'));
}
