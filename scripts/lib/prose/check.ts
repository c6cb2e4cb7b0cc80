import type { Exception } from './allowed';
import { proseFiles, readProse } from './files';
import { checkProse, type Finding } from './rules';

/** What the rules found in a file, in the order of its lines. */
export interface FileFindings {
	readonly path: string;
	readonly findings: readonly Finding[];
}

/** What a check reads, and which findings it leaves out. */
export interface CheckOptions {
	/** Files and folders; everything if empty. */
	readonly paths: readonly string[];
	readonly exceptions: readonly Exception[];
}

/** The result of a check. */
export interface CheckResult {
	readonly files: readonly FileFindings[];
	/** Exceptions that nothing needs any more; known only if everything was checked. */
	readonly unused: readonly Exception[];
	/** How many files were read. */
	readonly checked: number;
}

/**
 * Checks the texts of a checkout.
 *
 * @param folder the checkout
 * @param options what to read
 */
export async function checkFiles(folder: string, { paths, exceptions }: CheckOptions): Promise<CheckResult> {
	const chosen = proseFiles(folder).filter((path) => paths.length === 0 || paths.some((each) => isIn(path, each)));
	const used = new Set<Exception>();
	const files: FileFindings[] = [];
	for (const path of chosen) {
		const found = (await readProse(folder, path)).flatMap(checkProse);
		const findings = found.filter((finding) => !isException(path, finding)).sort((a, b) => a.line - b.line);
		if (findings.length > 0) files.push({ path, findings });
	}

	function isException(path: string, { rule, sentence }: Finding): boolean {
		const found = exceptions.filter(
			(each) => each.rule === rule && isIn(path, each.path) && sentence.includes(each.text ?? ''),
		);
		for (const exception of found) used.add(exception);
		return found.length > 0;
	}

	return {
		files,
		unused: paths.length > 0 ? [] : exceptions.filter((exception) => !used.has(exception)),
		checked: chosen.length,
	};
}

function isIn(path: string, fileOrFolder: string): boolean {
	const folder = fileOrFolder.replace(/\/$/, '');
	return folder === '' || path === folder || path.startsWith(`${folder}/`);
}
