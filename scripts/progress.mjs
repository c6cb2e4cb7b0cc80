import { performance } from 'node:perf_hooks';

const repeatAfterMs = 30_000;

/**
 * Formats a duration.
 *
 * @param {number} ms milliseconds
 * @returns {string} for example `0.4 s`, `12 s` or `3 min 05 s`
 */
export function formatElapsed(ms) {
	if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
	const seconds = Math.round(ms / 1000);
	if (seconds < 60) return `${seconds} s`;
	return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
}

/**
 * Shows which step of how many is running and for how long: live on a terminal; elsewhere one line at the start, one
 * every 30 seconds and one at the end.
 *
 * @param {{ total: number, output?: NodeJS.WriteStream }} options the number of steps, and where to write
 * @returns {{ step: <T>(title: string, work: () => Promise<T>) => Promise<T>, note: (text: string) => void }}
 * `step` gives what `work` gives and throws what it throws; `note` prints a line without spoiling the live one
 */
export function createProgress({ total, output = process.stdout }) {
	const live = Boolean(output.isTTY) && process.env.TERM !== 'dumb';
	let number = 0;
	/** @type {(() => void) | undefined} */
	let redraw;

	function drawLive(text) {
		const width = (output.columns || 80) - 1;
		output.write(`\r\x1b[2K${text.length > width ? `${text.slice(0, width - 1)}…` : text}`);
	}

	async function step(title, work) {
		number += 1;
		const label = `[${number}/${total}] ${title}`;
		const started = performance.now();
		const elapsed = () => formatElapsed(performance.now() - started);
		redraw = live ? () => drawLive(`${label}  ${elapsed()}`) : undefined;
		if (live) redraw();
		else output.write(`${label}\n`);
		const timer = setInterval(
			() => (live ? redraw() : output.write(`${label}: ${elapsed()} so far\n`)),
			live ? 250 : repeatAfterMs,
		);
		try {
			const result = await work();
			if (live) output.write(`\r\x1b[2K${label}  done in ${elapsed()}\n`);
			else output.write(`${label}: done in ${elapsed()}\n`);
			return result;
		} catch (error) {
			output.write(`${live ? '\r\x1b[2K' : ''}${label}: not done, stopped after ${elapsed()}\n`);
			throw error;
		} finally {
			clearInterval(timer);
			redraw = undefined;
		}
	}

	function note(text) {
		output.write(`${redraw ? '\r\x1b[2K' : ''}      ${text}\n`);
		redraw?.();
	}

	return { step, note };
}
