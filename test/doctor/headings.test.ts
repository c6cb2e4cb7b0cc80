import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { headings } from '../../doctor/rows/row';

/** Headings of docs/assumptions.md about the service, before those about the client and the sandbox. */
function openHeadings(): string[] {
	const page = readFileSync(join(__dirname, '../../docs/assumptions.md'), 'utf8');
	const [open = ''] = page.split('\n## How a response is read');
	return [...open.matchAll(/^### (.*)$/gm)].map(([, heading = '']) => heading);
}

describe('the rows of the doctor', () => {
	it('cover every heading of docs/assumptions.md, in its order', () => {
		expect(openHeadings().length).toBeGreaterThan(28);
		expect([...headings]).toEqual(openHeadings());
	});
});
