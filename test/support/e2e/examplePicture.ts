import type { Page } from 'playwright-core';
import { takePicture } from './browser';

/** A rectangle on the page, in CSS pixels. */
interface Box {
	readonly name: string;
	readonly left: number;
	readonly top: number;
	readonly right: number;
	readonly bottom: number;
}

/** How a workflow looks in the editor. */
export interface PictureLook {
	/** Pairs of nodes that overlap, labels included. */
	readonly overlapping: readonly string[];
	/** Notes whose text does not fit. */
	readonly cutOff: readonly string[];
	readonly stickyNotes: number;
	readonly nodes: number;
}

/** Space around the nodes, in CSS pixels: right for the plus after the last one, below for a node's subtitle. */
const margin = { before: 24, right: 72, below: 48 };

/**
 * Opens a workflow in the editor, takes a picture of the canvas around its nodes, and returns its look.
 * @param page a page that is logged in to n8n
 * @param address of the workflow in the editor
 * @param name of the picture
 */
export async function pictureWorkflow(page: Page, address: string, name: string): Promise<PictureLook> {
	// Large enough to show each workflow at full size.
	await page.setViewportSize({ width: 1900, height: 1900 });
	await page.goto(address);
	await page.locator('[data-node-name]').first().waitFor();
	await page.locator('[data-test-id=zoom-to-fit]').click();
	// Away from the nodes, because a hovered node shows its buttons.
	await page.mouse.move(60, 1800);
	const { boxes, notes, cutOff } = await settled(page);
	const everything = [...boxes, ...notes];
	const left = Math.min(...everything.map((box) => box.left)) - margin.before;
	const top = Math.min(...everything.map((box) => box.top)) - margin.before;
	const width = Math.max(...everything.map((box) => box.right)) + margin.right - left;
	const height = Math.max(...everything.map((box) => box.bottom)) + margin.below - top;
	await takePicture(page, name, { clip: { x: left, y: top, width, height }, folder: 'examples/images' });
	return { overlapping: overlaps(boxes), cutOff, stickyNotes: notes.length, nodes: boxes.length };
}

type Measured = Readonly<{ boxes: Box[]; notes: Box[]; cutOff: string[] }>;

/** Measures the canvas after its zoom animation has ended. */
async function settled(page: Page): Promise<Measured> {
	const handle = await page.waitForFunction(
		() => {
			const canvas = document.querySelector<HTMLElement>('.vue-flow__transformationpane');
			const transform = canvas?.style.transform ?? '';
			const before = canvas?.dataset.before;
			if (canvas) canvas.dataset.before = transform;
			return transform !== '' && transform === before;
		},
		undefined,
		{ polling: 400 },
	);
	await handle.dispose();
	return await page.evaluate(() => {
		const found = Array.from(document.querySelectorAll<HTMLElement>('.vue-flow__node')).map((element) => {
			const { nodeName = '', nodeType = '' } = element.querySelector<HTMLElement>('[data-node-name]')?.dataset ?? {};
			const label = Array.from(element.querySelectorAll('*')).find(
				(one) => one.children.length === 0 && one.textContent.trim() === nodeName,
			);
			const rectangles = [element, ...(label ? [label] : [])].map((one) => one.getBoundingClientRect());
			return {
				sticky: nodeType === 'n8n-nodes-base.stickyNote',
				// A note whose text does not fit scrolls, or hides its last lines.
				scrolls: Array.from(element.querySelectorAll('*')).some(
					(one) =>
						one.scrollHeight > one.clientHeight + 1 && /auto|scroll|hidden/.test(getComputedStyle(one).overflowY),
				),
				box: {
					name: nodeName,
					left: Math.min(...rectangles.map((one) => one.left)),
					top: Math.min(...rectangles.map((one) => one.top)),
					right: Math.max(...rectangles.map((one) => one.right)),
					bottom: Math.max(...rectangles.map((one) => one.bottom)),
				},
			};
		});
		const notes = found.filter(({ sticky }) => sticky);
		return {
			boxes: found.filter(({ sticky }) => !sticky).map(({ box }) => box),
			notes: notes.map(({ box }) => box),
			cutOff: notes.filter(({ scrolls }) => scrolls).map(({ box }) => box.name),
		};
	});
}

function overlaps(boxes: readonly Box[]): string[] {
	return boxes.flatMap((one, index) =>
		boxes
			.slice(index + 1)
			.filter(
				(other) => one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom,
			)
			.map((other) => `${one.name} and ${other.name}`),
	);
}
