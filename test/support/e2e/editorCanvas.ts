import type { Page } from 'playwright-core';
import type { Ready } from './demo';

/** The demo's workflow on the canvas of n8n's editor. */
export interface EditorCanvas {
	/** Starts a test execution and waits until its trigger listens. */
	execute(): Promise<void>;
	/** Waits until a first node has succeeded and another one runs. */
	untilRunning(): Promise<void>;
	/** Waits until no node runs. */
	untilDone(): Promise<void>;
	/** Names the nodes that have a green check mark, in alphabetical order. */
	succeeded(): Promise<string[]>;
	/**
	 * Takes a picture of the nodes and notes, without the editor around them.
	 * @param ratio width divided by height; a picture that would be wider shows more of the canvas
	 */
	picture(ratio: number): Promise<Buffer>;
}

const node = '.vue-flow__node > [data-node-name]';
const check = '[data-test-id=canvas-node-status-success]';

/** A hint above the trigger that is wider than the picture. */
const hidden = '[data-test-id=tooltip-content] { visibility: hidden !important; }';

/** Room around a node, in CSS pixels: for a trigger's bolt, the plus behind the last node, and the labels below. */
const roomOfNode = { left: 44, top: 12, right: 150, bottom: 60 };
const roomOfNote = { left: 12, top: 12, right: 12, bottom: 12 };

/**
 * Logs in and opens the demo's workflow.
 * @param page a page of a profile that has not logged in yet
 */
export async function openEditorCanvas(page: Page, ready: Ready): Promise<EditorCanvas> {
	// Large enough for n8n to show every node in full size.
	await page.setViewportSize({ width: 1500, height: 1100 });
	await page.goto(ready.editor);
	await page.fill('input[name=emailOrLdapLoginId]', ready.email);
	await page.fill('input[name=password]', ready.password);
	await page.locator('[data-test-id=form-submit-button]').click();
	await page.locator(node).first().waitFor();
	await page.locator('[data-test-id=zoom-to-fit]').click();
	await untilStill(page);

	return {
		async execute() {
			await page.locator('[data-test-id=execute-workflow-button]').click();
			await page.locator('[data-test-id=stop-execution-waiting-for-webhook-button]').waitFor();
		},
		async untilRunning() {
			await page.locator(check).first().waitFor();
			await page.locator(`${node} .running`).first().waitFor();
		},
		async untilDone() {
			await page.locator(`${node} .running`).first().waitFor({ state: 'detached' });
		},
		async succeeded() {
			const found = page.locator(node, { has: page.locator(check) });
			return (await found.evaluateAll((all: HTMLElement[]) => all.map(({ dataset }) => dataset.nodeName ?? ''))).sort();
		},
		async picture(ratio) {
			const { x, y, width, height } = await areaOf(page);
			const more = Math.max(0, width / ratio - height);
			const clip = { x, y: y - more / 2, width, height: height + more };
			return await page.screenshot({ clip, style: hidden });
		},
	};
}

/** The canvas glides after a zoom. */
async function untilStill(page: Page): Promise<void> {
	for (let before = ''; ;) {
		const now = JSON.stringify(await areaOf(page));
		if (now === before) return;
		before = now;
		await page.waitForTimeout(400);
	}
}

/** The area of all nodes and notes. */
async function areaOf(page: Page): Promise<{ x: number; y: number; width: number; height: number }> {
	const found = await page.locator(node).evaluateAll((all: HTMLElement[]) =>
		all.map((one) => {
			const { left, top, right, bottom } = one.getBoundingClientRect();
			return { isNote: one.dataset.nodeType?.endsWith('.stickyNote'), left, top, right, bottom };
		}),
	);
	const boxes = found.map((one) => {
		const room = one.isNote ? roomOfNote : roomOfNode;
		return {
			left: one.left - room.left,
			top: one.top - room.top,
			right: one.right + room.right,
			bottom: one.bottom + room.bottom,
		};
	});
	const x = Math.min(...boxes.map(({ left }) => left));
	const y = Math.min(...boxes.map(({ top }) => top));
	const width = Math.max(...boxes.map(({ right }) => right)) - x;
	const height = Math.max(...boxes.map(({ bottom }) => bottom)) - y;
	return { x, y, width, height };
}
