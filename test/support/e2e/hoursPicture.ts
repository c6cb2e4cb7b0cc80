import type { Browser, Page } from 'playwright-core';
import { animate, type Frame, phoneViewport, workflowRatio } from './animation';
import { openProfile } from './browser';
import type { Ready } from './demo';
import { type EditorCanvas, openEditorCanvas } from './editorCanvas';
import { openRelayView, type RelayView } from './relayView';
import { openSandboxView, type SandboxView } from './sandboxView';

const steps = ['A customer texts HOURS', 'Your n8n workflow runs', 'The reply arrives'];

/** The picture, and what its pages showed while it was made. */
export interface HoursPicture {
	readonly gif: Uint8Array<ArrayBuffer>;
	/** How many frames it was made of. */
	readonly frames: number;
	/** Names of the nodes with a green check mark in the last frame, in alphabetical order. */
	readonly succeeded: readonly string[];
	/** Addresses outside this machine that a page asked for. */
	readonly strays: readonly string[];
}

/**
 * Sends HOURS from a phone, and records phone and workflow until the reply is delivered.
 * The workflow runs as a test execution: only those show their progress on the canvas.
 * @param number a phone that has no messages yet
 */
export async function recordHours(browser: Browser, ready: Ready, number: string): Promise<HoursPicture> {
	const sandbox = openSandboxView(ready.sandboxUrl);
	const profiles = [await openProfile(browser), await openProfile(browser), await openProfile(browser)] as const;
	const [forPhone, forEditor, forLayout] = profiles;
	const restore = await prepare(sandbox, openRelayView(ready));
	try {
		const phone = await openPhone(await forPhone.context.newPage(), ready, number);
		const canvas = await openEditorCanvas(await forEditor.context.newPage(), ready);
		await canvas.execute();
		const frames = await record(phone, canvas);
		const gif = await animate(await forLayout.context.newPage(), steps, frames);
		return {
			gif,
			frames: frames.length,
			succeeded: await canvas.succeeded(),
			strays: profiles.flatMap(({ strays }) => strays),
		};
	} finally {
		await restore();
		for (const { context } of profiles) await context.close();
	}
}

async function openPhone(page: Page, { sandboxUrl }: Ready, number: string): Promise<Page> {
	await page.setViewportSize(phoneViewport);
	const query = new URLSearchParams({ number, to: 'KOFISHOP', embedded: '1' });
	await page.goto(`${sandboxUrl}/phone?${query}`);
	await page.locator('#connection[data-state=live]').waitFor();
	await page.locator('#empty').waitFor();
	return page;
}

/**
 * Keeps the active workflow from a second reply, and slows two requests down to leave time for frames.
 * @returns undoes both
 */
async function prepare(sandbox: SandboxView, relay: RelayView): Promise<() => Promise<void>> {
	const active = (await relay.subscriptions()).filter(({ kind }) => kind === 'n8n');
	const change = async (filter: object) => {
		for (const { id } of active) await relay.call('PATCH', `/subscriptions/${id}`, { filter });
	};
	await change({ from: ['+10000000000'] });
	await sandbox.control('POST', '/faults', { endpoint: 'sms.inbound', kind: 'post_late', milliseconds: 2000 });
	await sandbox.control('POST', '/faults', { endpoint: 'sms.send', kind: 'delay', milliseconds: 4000 });
	return async () => {
		await sandbox.control('DELETE', '/faults');
		await change({});
	};
}

async function record(phone: Page, canvas: EditorCanvas): Promise<Frame[]> {
	const frames: Frame[] = [];
	const take = async (step: number, milliseconds: number) => {
		const [onPhone, workflow] = await Promise.all([
			phone.screenshot({ animations: 'disabled' }),
			canvas.picture(workflowRatio),
		]);
		frames.push({ step, phone: onPhone, workflow, milliseconds });
	};

	await take(0, 1200);
	for (const typed of ['HO', 'HOUR', 'HOURS']) {
		await phone.fill('#text', typed);
		await take(0, typed === 'HOURS' ? 800 : 250);
	}
	await phone.click('#send');
	await phone.locator('.bubble.sent', { hasText: 'HOURS' }).waitFor();
	await take(0, 900);

	await canvas.untilRunning();
	for (let turn = 0; turn < 4; turn += 1) await take(1, 400);
	await canvas.untilDone();
	const reply = phone.locator('.bubble.received', { hasText: '8 am to 6 pm' });
	await reply.waitFor();
	await take(2, 900);
	await reply.filter({ hasText: 'delivered' }).waitFor();
	await take(2, 4000);
	return frames;
}
