import { readFileSync } from 'node:fs';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

const axeSource = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** The widths that pages must fit, in pixels. */
export const WIDTHS = [390, 700, 1024, 1280, 1600];

/** Runs axe in the page. @returns each broken rule with its element */
export async function violations(page: Page): Promise<string[]> {
	await page.evaluate(axeSource);
	const found = await page.evaluate(async () => {
		const axe = Reflect.get(window, 'axe') as { run(context: object, options: RunOptions): Promise<AxeResults> };
		// The phone in the dashboard's frame is a page of its own, which the tests open, too.
		return await axe.run({ exclude: ['iframe'] }, { resultTypes: ['violations'] });
	});
	return found.violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
}

/** Finds elements wider than their place, and cells that end outside of their table. */
export async function cutElements(page: Page): Promise<string[]> {
	return await page.evaluate(findCutElements);
}

/** Runs in the page. */
function findCutElements(): string[] {
	const name = (element: Element) =>
		`${element.tagName} ${element.getAttribute('class')} ${element.textContent}`.slice(0, 90);
	const parts =
		'html, main, .card, .table, dialog, form, nav, td, .tile-value, .tiles a, pre, .filters, .facts dd, .alarm';
	const wide = Array.from(document.querySelectorAll(parts)).filter(
		(element) => element.clientWidth > 1 && element.scrollWidth > element.clientWidth + 1,
	);
	const outside = Array.from(document.querySelectorAll('.table :is(td, th), .chart text')).filter((element) => {
		const holder = element.closest('.table, .chart')?.getBoundingClientRect();
		const { left, right, width } = element.getBoundingClientRect();
		return holder !== undefined && width > 1 && (left < holder.left - 1 || right > holder.right + 1);
	});
	return [...wide, ...outside].map(name);
}
