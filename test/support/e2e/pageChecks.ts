import { readFileSync } from 'node:fs';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

const axeSource = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** The widths that pages must fit, in pixels. */
export const WIDTHS = [390, 700, 1024, 1280, 1600];

/** Checks the shown page in each width. @returns the results of the check that are not empty, by width */
export async function inEachWidth(
	page: Page,
	check: () => Promise<readonly string[]>,
	widths: readonly number[] = WIDTHS,
): Promise<Record<number, readonly string[]>> {
	const found: Record<number, readonly string[]> = {};
	for (const width of widths) {
		await page.setViewportSize({ width, height: 800 });
		// Drawings follow the size of the page after a frame.
		await page.evaluate(async () => {
			for (let frame = 0; frame < 2; frame++) await new Promise((next) => requestAnimationFrame(next));
		});
		const wrong = await check();
		if (wrong.length > 0) found[width] = wrong;
	}
	return found;
}

/** The rules that a page may break in one color scheme only. */
export const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

/**
 * Runs axe in the page.
 * @param rules names of the rules to check. Default: all
 * @returns each broken rule with its element
 */
export async function violations(page: Page, rules?: readonly string[]): Promise<string[]> {
	await page.evaluate(axeSource);
	const found = await page.evaluate(
		async (only) => {
			const axe = Reflect.get(window, 'axe') as { run(context: object, options: RunOptions): Promise<AxeResults> };
			// The phone in the dashboard's frame is a page of its own, which the tests open, too.
			return await axe.run({ exclude: ['iframe'] }, { resultTypes: ['violations'], ...(only && { runOnly: only }) });
		},
		rules && [...rules],
	);
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
	// A table in a closed part of the page follows its width when it opens.
	return [...wide, ...outside].filter((element) => element.checkVisibility()).map(name);
}
