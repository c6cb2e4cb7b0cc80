import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { operations } from '../../nodes/MessagingService/operations';
import { features } from '../../scripts/lib/compatibility';
import { generatedTables, replaceTable } from '../../scripts/lib/operationTables';
import { app } from '../../zapier/app';

const ROOT = join(__dirname, '..', '..');
const tables = generatedTables();

/** The cells of a page's tables, without the spaces that align them, and its other lines. */
const cellsOf = (page: string) =>
	page.split('\n').map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim().replace(/^-+$/, '---')));

describe.each(tables)('the table of $name in $page', (table) => {
	const page = readFileSync(join(ROOT, table.page), 'utf8');

	it('is current (otherwise: npm run generate)', () => {
		expect(cellsOf(replaceTable(page, table))).toEqual(cellsOf(page));
	});

	it('is rejected without its markers', () => {
		expect(() => replaceTable('# A page', table)).toThrow(`${table.page} has no markers for ${table.name}`);
	});
});

it('the tables have every operation of the node, every step of the Zapier app and every feature of the compatibility test', () => {
	const rows = tables.map(({ markdown }) => markdown.split('\n').slice(2));
	const all = Object.values<object>(operations).flatMap((resource) => Object.keys(resource));
	expect(rows.map((table) => table.length)).toEqual([
		all.length,
		Object.keys(app.creates).length,
		Object.keys(app.searches).length,
		Object.keys(features).length,
	]);
	expect(rows.flat().join('\n')).toContain('**Send SMS** (`send_sms`)');
	expect(rows.flat().join('\n')).toContain('| Wait for Delivery | ');
});
