import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decode, decodeFrames, encode } from 'modern-gif';
import type { Page } from 'playwright-core';

const projectFolder = join(__dirname, '..', '..', '..');

/** The whole picture, in pixels. */
const size = { width: 960, height: 540 };

/** Where the two screenshots appear in it. */
const places = { phone: { width: 272, height: 454 }, workflow: { width: 624, height: 454 } };

/** The phone's page, in CSS pixels: it is shown at four fifths of its size. */
export const phoneViewport = { width: places.phone.width * 1.25, height: Math.round(places.phone.height * 1.25) };

/** Width of the workflow's screenshot divided by its height. */
export const workflowRatio = places.workflow.width / places.workflow.height;

/** A phone beside a workflow, below the steps of the story. */
export interface Frame {
	/** Index of the step to highlight. */
	readonly step: number;
	/** Screenshot of the phone. */
	readonly phone: Buffer;
	/** Screenshot of the workflow. */
	readonly workflow: Buffer;
	/** How long the frame is shown. */
	readonly milliseconds: number;
}

const html = (steps: readonly string[]) => `<!doctype html>
<style>
	body {
		display: grid;
		gap: 14px 20px;
		grid-template-columns: auto auto;
		place-content: center;
		height: ${size.height}px;
		margin: 0;
		font: 600 15px/20px system-ui, sans-serif;
		background: #e3efea;
	}
	ol {
		display: flex;
		grid-column: 1 / 3;
		gap: 10px;
		margin: 0;
		padding: 0;
		list-style: none;
	}
	li {
		flex: 1;
		padding: 7px 12px;
		color: #566572;
		text-align: center;
		background: #f4f8f6;
		border-radius: 17px;
	}
	li.now { color: #fff; background: #0b7a58; }
	img { object-fit: contain; background: #f5f5f5; border: 1px solid #c9d6d0; border-radius: 20px; }
</style>
<ol>${steps.map((step) => `<li>${step}</li>`).join('')}</ol>
${Object.entries(places)
	.map(([id, { width, height }]) => `<img id="${id}" width="${width}" height="${height}">`)
	.join('')}`;

const toUrl = (png: Buffer) => `data:image/png;base64,${png.toString('base64')}`;

/**
 * Makes an animated picture that loops.
 * @param page an empty page for the layout of the frames
 * @param steps the story, in a few words each
 * @returns the picture as a GIF
 */
export async function animate(
	page: Page,
	steps: readonly string[],
	frames: readonly Frame[],
): Promise<Uint8Array<ArrayBuffer>> {
	await page.setViewportSize(size);
	await page.setContent(html(steps));
	const pictures: Array<{ data: Uint8ClampedArray<ArrayBuffer>; delay: number }> = [];
	for (const { step, phone, workflow, milliseconds } of frames) {
		await show(page, step, { phone: toUrl(phone), workflow: toUrl(workflow) });
		pictures.push({ data: await pixelsOf(page, await page.screenshot()), delay: milliseconds });
	}
	return new Uint8Array(await encode({ ...size, frames: pictures }));
}

async function show(page: Page, step: number, sources: Record<string, string>): Promise<void> {
	await page.locator('li').evaluateAll((items, now) => {
		items.forEach((item, index) => item.classList.toggle('now', index === now));
	}, step);
	for (const [id, source] of Object.entries(sources)) {
		await page.locator(`#${id}`).evaluate(async (image: HTMLImageElement, src) => {
			image.src = src;
			await image.decode();
		}, source);
	}
}

/** Decodes a picture in the browser, into four bytes per pixel. */
async function pixelsOf(page: Page, png: Buffer): Promise<Uint8ClampedArray<ArrayBuffer>> {
	const url = await page.evaluate(async (src) => {
		const image = new Image();
		image.src = src;
		await image.decode();
		const { width, height } = image;
		const context = new OffscreenCanvas(width, height).getContext('2d');
		if (!context) throw new Error('The browser gives no canvas');
		context.drawImage(image, 0, 0);
		const reader = new FileReader();
		reader.readAsDataURL(new Blob([context.getImageData(0, 0, width, height).data]));
		await new Promise((done) => (reader.onload = done));
		return reader.result as string;
	}, toUrl(png));
	return new Uint8ClampedArray(Buffer.from(url.slice(url.indexOf(',') + 1), 'base64'));
}

/** Reads size, looping and frames of an animated picture. */
export function readAnimation(gif: Uint8Array<ArrayBuffer>) {
	const { width, height, looped } = decode(gif);
	const hashes = decodeFrames(gif).map(({ data }) => createHash('sha256').update(data).digest('hex'));
	return { width, height, looped, frames: hashes.length, differentFrames: new Set(hashes).size };
}

/**
 * Makes an animated picture the one in the documentation.
 * @param name file name without its ending
 */
export function keepAnimation(name: string, gif: Uint8Array): void {
	writeFileSync(animationFile(name), gif);
}

/** The file of an animated picture in the documentation. */
export const animationFile = (name: string): string => join(projectFolder, 'docs', 'images', `${name}.gif`);
