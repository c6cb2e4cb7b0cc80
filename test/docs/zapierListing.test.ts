import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { allFields, readDefinition } from '../support/zapier/definition';

const root = join(__dirname, '..', '..');
const page = readFileSync(join(root, 'docs', 'zapier-publishing.md'), 'utf8');

/** The rows of the first table below a heading, without its head. */
function tableBelow(heading: string): string[][] {
	const section = page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
	const [, , ...rows] = section.split('\n').filter((line) => line.startsWith('|'));
	return rows.map((row) =>
		row
			.split('|')
			.slice(1, -1)
			.map((cell) => cell.trim()),
	);
}

const listing = Object.fromEntries(tableBelow('Listing')) as Readonly<Record<string, string>>;
const templates = tableBelow('Zap templates').map(([title = '', description = '']) => ({ title, description }));
const script = tableBelow('Script for the test account').map(([step = '', values = '']) => ({
	step: step.replaceAll('**', ''),
	values,
}));
const sentences = (text: string) => text.split(/(?<=[.!?])\s+/);

describe('the listing of the Zapier app', () => {
	it('M002: has a description of 40 to 140 characters in the form that Zapier asks for', () => {
		const { Name = '', Description = '' } = listing;
		expect(Description.length).toBeGreaterThanOrEqual(40);
		expect(Description.length).toBeLessThanOrEqual(140);
		expect(Description).toMatch(new RegExp(`^${Name} is a [^!]*\\.$`));
		expect(Description).not.toMatch(/zapier|\bsync|https?:|\]\(|\b(best|leading|powerful|easy|seamless)/i);
	});

	it('has a name without "app", adjectives or trademark signs, and a category', () => {
		expect(listing.Name).toBe('Messaging Service');
		expect(listing.Name).not.toMatch(/\bapp\b|integration|[™®©]/i);
		expect(listing.Category).toBe('Phone & SMS');
	});

	it('has the color of the logo, which is not white', () => {
		const [color = ''] = /#[\da-f]{6}/.exec(listing['Primary color'] ?? '') ?? [];
		expect(readFileSync(join(root, 'zapier', 'logo', 'logo.svg'), 'utf8')).toContain(`fill="${color}"`);
		expect(color).not.toBe('#ffffff');
	});
});

describe.each(templates)('the template "$title"', ({ title, description }) => {
	it('has a title with a verb, "new" and the name of the app, in sentence case', () => {
		expect(title).toMatch(/^(Send|Add) .*\bnew\b/);
		expect(title).toContain('Messaging Service');
		expect(title).not.toMatch(/\b(sync|automatic\w*|you|your|we|I)\b|\.$/i);
		const names = /Messaging Service|Google (Sheets|Calendar)|Facebook Lead Ads|WooCommerce|SMS/g;
		expect(title.slice(1).replace(names, '')).not.toMatch(/[A-Z]/);
	});

	it('has a description of two to four sentences in plain words, without links', () => {
		expect(sentences(description).length).toBeGreaterThanOrEqual(2);
		expect(sentences(description).length).toBeLessThanOrEqual(4);
		expect(description).not.toMatch(/\b(Zaps?|Zap templates?|triggers?|actions?|sync\w*)\b|https?:|\]\(/i);
		expect(description).toMatch(/\b(every|each) new\b|\bevery\b.*\bnew\b/);
	});
});

it('there are templates for the recipes that start most often', () => {
	expect(templates.map(({ title }) => title)).toHaveLength(5);
	expect(new Set(templates.map(({ description }) => description)).size).toBe(5);
});

it('the script for the test account has each visible step of the public app once', async () => {
	const { steps } = await readDefinition();
	const labels = steps
		.filter(({ key, display }) => !display.hidden && !['create_wallet_top_up', 'find_wallet_top_up'].includes(key))
		.map(({ display }) => display.label);
	expect(script.map(({ step }) => step).toSorted()).toEqual(labels.toSorted());
});

it('the script for the test account names only fields that its steps have', async () => {
	const { steps } = await readDefinition();
	for (const { step: label, values } of script) {
		const found = steps.find(({ display }) => display.label === label);
		const fields = found === undefined ? [] : (await allFields(found)).map((field) => field.label);
		const named = [...values.matchAll(/(?:^|, )([A-Z][\w ]*) = /g)].map(([, name = '']) => name);
		expect([label, named.filter((name) => !fields.includes(name))]).toEqual([label, []]);
		expect([label, named.length > 0 || values.startsWith('none')]).toEqual([label, true]);
	}
});
