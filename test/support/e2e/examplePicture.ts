import { isDeepStrictEqual } from 'node:util';
import type { Page } from 'playwright-core';
import { eventually } from '../eventually';
import { takePicture, takesPictures } from './browser';
import { readExample } from './exampleWorkflow';

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

/** The part of n8n's editor that changes its page. */
interface EditorApp {
	readonly __vue_app__?: {
		readonly config: { readonly globalProperties: { readonly $router: { push(path: string): Promise<unknown> } } };
	};
}

/**
 * Shows a workflow in the editor and returns its look. With UPDATE_SCREENSHOTS=1, takes a picture of the canvas around its nodes.
 * @param page a page that shows n8n's editor
 * @param id of the workflow
 * @param name of the example, and of the picture
 */
export async function pictureWorkflow(page: Page, id: string, name: string): Promise<PictureLook> {
	// Large enough to show each workflow at full size.
	await page.setViewportSize({ width: 1900, height: 1900 });
	const names = readExample(name).nodes.map((node) => node.name);
	await eventually(`the canvas of ${name}`, async () => {
		await openPath(page, `/workflow/${id}`);
		return (await page.locator('.vue-flow__node').count()) === names.length ? true : undefined;
	});
	const { boxes, notes, cutOff } = await settled(page, names.sort());
	if (takesPictures()) await takeWorkflow(page, names, name);
	return { overlapping: overlaps(boxes), cutOff, stickyNotes: notes.length, nodes: boxes.length };
}

/** Opens a page of the editor unless it is open. A load of the whole editor would take much longer. */
async function openPath(page: Page, path: string): Promise<void> {
	// After a login, the editor goes to its first page, which may be later than another path.
	if (new URL(page.url()).pathname === path) return;
	await page.evaluate(async (wanted) => {
		const editor: EditorApp | null = document.querySelector<HTMLElement & EditorApp>('#app');
		await editor?.__vue_app__?.config.globalProperties.$router.push(wanted);
	}, path);
}

async function takeWorkflow(page: Page, names: readonly string[], picture: string): Promise<void> {
	await page.locator('[data-test-id=zoom-to-fit]').click();
	// Away from the nodes, because a hovered node shows its buttons.
	await page.mouse.move(60, 1800);
	const { boxes, notes } = await settled(page, names);
	const everything = [...boxes, ...notes];
	const left = Math.min(...everything.map((box) => box.left)) - margin.before;
	const top = Math.min(...everything.map((box) => box.top)) - margin.before;
	const width = Math.max(...everything.map((box) => box.right)) + margin.right - left;
	const height = Math.max(...everything.map((box) => box.bottom)) + margin.below - top;
	await takePicture(page, picture, { clip: { x: left, y: top, width, height }, folder: 'examples/images' });
}

type Measured = Readonly<{ boxes: Box[]; notes: Box[]; cutOff: string[] }>;

/** Measures the canvas once it shows these nodes and nothing on it moves. */
async function settled(page: Page, names: readonly string[]): Promise<Measured> {
	let before = '';
	return await eventually(`the canvas with ${names.join(', ')}`, async () => {
		const measured = await measure(page);
		const shown = [...measured.boxes, ...measured.notes].map((box) => box.name).sort();
		const now = JSON.stringify(measured);
		const isStill = now === before && isDeepStrictEqual(shown, names);
		before = now;
		// One frame of an animation may look like the next.
		if (!isStill) await page.waitForTimeout(150);
		return isStill ? measured : undefined;
	});
}

async function measure(page: Page): Promise<Measured> {
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
