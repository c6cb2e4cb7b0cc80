import { markdownProse } from './markdown';
import { BREAK, type Prose } from './text';

/** Parameters whose value is a program, an address or a name in a program. */
const programs = new Set(['jsCode', 'url', 'id', 'cachedResultUrl', 'expression', 'path']);

/**
 * Reads the texts of an example workflow: its name, its nodes' names, sticky notes, and the messages that it sends.
 *
 * @param json the file's text
 */
export async function workflowProse(json: string): Promise<Prose[]> {
	const texts: Prose[] = [];
	const lines = json.split('\n');
	// JSON holds a text on one line, so its line is the one with the text in it.
	const lineOf = (value: string) => {
		const written = JSON.stringify(value).slice(1, -1);
		return Math.max(1, lines.findIndex((line) => line.includes(written)) + 1);
	};
	/** Names of nodes occur in their connections again. */
	const seen = new Set<string>();
	const visit = async (value: unknown, key: string): Promise<void> => {
		if (typeof value === 'string') {
			if (programs.has(key) || seen.has(value) || !/\w\s+\w/.test(value)) return;
			seen.add(value);
			const line = lineOf(value);
			if (key === 'content' || key === 'notes') {
				const prose = await markdownProse(value, { audience: 'shown' });
				texts.push(...prose.map((each) => ({ ...each, line })));
				return;
			}
			const isFormula = /^=\s*\{\{[\s\S]*\}\}\s*$/.test(value) && !/\}\}[\s\S]*\{\{/.test(value);
			if (!isFormula) texts.push({ audience: 'shown', line, text: value.replace(/^=/, '').replace(/\n+/g, BREAK) });
			return;
		}
		if (value === null || typeof value !== 'object') return;
		for (const [name, inner] of Object.entries(value)) await visit(inner, Array.isArray(value) ? key : name);
	};
	await visit(JSON.parse(json), '');
	return texts;
}
