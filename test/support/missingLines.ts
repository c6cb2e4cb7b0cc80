import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type * as doctorMain from '../../doctor/main';
import type { DoctorRun } from './runDoctor';

const ROOT = join(__dirname, '../..');

/** A line of the report. */
export interface Line {
	readonly file: string;
	readonly list: string;
	readonly line: string;
}

/** The lines of a report, in order. */
export function linesIn({ report }: DoctorRun): Line[] {
	const [, section = ''] = report.split('## Lines to add\n');
	const [lines = ''] = section.split('\n## ');
	return [...lines.matchAll(/^- `(.*?)`, `(.*?)`: `(.*?)` \(/gm)].map(([, file = '', list = '', line = '']) => ({
		file,
		list,
		line,
	}));
}

/** The beginning of a list in a file: `const name = [`, or `key: [` in `const name = {`. */
export function startOf(list: string): RegExp {
	const [constant = '', key] = list.split('.');
	return new RegExp(`const ${constant} = ${key === undefined ? '' : `\\{[^;]*?\\b${key}: `}\\[`);
}

/** Adds lines to a copy of the client, as a maintainer would. @returns the doctor of the copy */
export function doctorWith(lines: readonly Line[], folder: string): typeof doctorMain.main {
	for (const part of ['shared', 'doctor']) cpSync(join(ROOT, part), join(folder, part), { recursive: true });
	symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
	for (const { file, list, line } of lines) {
		const path = join(folder, file);
		const text = readFileSync(path, 'utf8');
		writeFileSync(
			path,
			text.replace(startOf(list), (start) => start + line),
		);
	}
	// eslint-disable-next-line @typescript-eslint/no-require-imports -- the path is known only now
	return (require(join(folder, 'doctor/main')) as typeof doctorMain).main;
}
