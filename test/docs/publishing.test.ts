import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { properties } from '../../nodes/MessagingService/operations';

const root = join(__dirname, '..', '..');
const pages = ['docs/publishing.md', 'docs/zapier-publishing.md'];
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** The rows of the script for the video: seconds from the start, clicks, spoken words. */
const script = [...read('docs/publishing.md').matchAll(/^\| (\d):(\d\d) +\| (.*?) +\| "(.*)" +\|$/gm)].map(
	([, minutes, seconds, click = '', say = '']) => ({ at: Number(minutes) * 60 + Number(seconds), click, say }),
);
/** Words that a calm speaker says in a second. */
const WORDS_PER_SECOND = 2.5;
/** n8n asks for a video of at most five minutes. */
const LONGEST = 300;

describe('the script for the video', () => {
	it('starts at 0:00, goes forward, and leaves time for an end within five minutes', () => {
		const times = script.map(({ at }) => at);
		expect(times[0]).toBe(0);
		expect(times).toEqual(times.toSorted((a, b) => a - b));
		expect(new Set(times).size).toBe(times.length);
		expect((times.at(-1) ?? LONGEST) + 20).toBeLessThan(LONGEST);
		expect(script.length).toBe(read('docs/publishing.md').match(/^\| \d:\d\d/gm)?.length);
	});

	it.each(script)('leaves time for the words at second $at', ({ at, say }) => {
		const next = script.find((row) => row.at > at)?.at ?? LONGEST;
		expect(say.split(/\s+/).length / WORDS_PER_SECOND).toBeLessThanOrEqual(next - at);
	});

	it('shows what n8n asks for: installation, a tested credential, an action, an error and a trigger', () => {
		const clicks = script.map(({ click }) => click).join('\n');
		for (const part of ['Community nodes > Install', 'Connection tested successfully', 'phone', 'Trigger', 'error']) {
			expect(clicks).toContain(part);
		}
	});

	it.each(['Send an SMS', 'Get Balance', 'Wallet', 'Send'])('names "%s" as the node does', (name) => {
		const shown = properties.flatMap(({ options = [] }) =>
			options.flatMap((option) => ('action' in option ? [option.name, option.action] : [option.name])),
		);
		expect(shown).toContain(name);
		const bold = script.flatMap(({ click }) => [...click.matchAll(/\*\*(.+?)\*\*/g)].map(([, text = '']) => text));
		expect(bold.flatMap((text) => text.split(' > '))).toContain(name);
	});
});

it.each(pages)('the test files that %s names exist', (page) => {
	const named = [...read(page).matchAll(/`(test\/[\w/.]+)`/g)].map(([, path = '']) => path);
	expect(named.length).toBeGreaterThan(0);
	expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
