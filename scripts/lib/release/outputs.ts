import { appendFileSync } from 'node:fs';

/**
 * Gives values to the later steps of a GitHub workflow. Does nothing outside of one.
 *
 * @param values by name; no value may have a line break
 */
export function writeOutputs(values: Readonly<Record<string, string>>): void {
	const file = process.env.GITHUB_OUTPUT;
	if (file === undefined || file === '') return;
	appendFileSync(
		file,
		Object.entries(values)
			.map(([name, value]) => `${name}=${value}\n`)
			.join(''),
	);
}
