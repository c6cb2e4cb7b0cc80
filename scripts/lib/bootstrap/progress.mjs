import { performance } from 'node:perf_hooks';

/**
 * Shows the steps of a command.
 *
 * @typedef {object} Progress
 * @property {<T>(title: string, work: () => Promise<T>) => Promise<T>} step returns the result of `work` or throws its error
 * @property {(text: string) => void} note prints a line above the live one
 */

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
 * Shows the number of the running step and its elapsed time. Updates live on a terminal. Elsewhere, prints a line at the
 * start, every 30 seconds, and at the end.
 *
 * @param {{ total: number, finished?: number, output?: NodeJS.WriteStream }} options the number of steps, how many of them the
 * bootstrap has shown, and the stream to write to
 * @returns {Progress}
 */
export function createProgress({ total, finished = 0, output = process.stdout }) {
	const live = output.isTTY && process.env.TERM !== 'dumb';
	let number = finished;
	/** @type {(() => void) | undefined} */
	let redraw;

	/** @param {string} text */
	function drawLive(text) {
		const width = (output.columns || 80) - 1;
		output.write(`\r\x1b[2K${text.length > width ? `${text.slice(0, width - 1)}…` : text}`);
	}

	/**
	 * @template T
	 * @param {string} title
	 * @param {() => Promise<T>} work
	 */
	async function step(title, work) {
		number += 1;
		const label = `[${number}/${total}] ${title}`;
		const started = performance.now();
		const elapsed = () => formatElapsed(performance.now() - started);
		redraw = live ? () => drawLive(`${label}  ${elapsed()}`) : undefined;
		if (redraw) redraw();
		else output.write(`${label}\n`);
		const timer = setInterval(
			() => (redraw ? redraw() : output.write(`${label}: running for ${elapsed()}\n`)),
			live ? 250 : repeatAfterMs,
		);
		try {
			const result = await work();
			if (live) output.write(`\r\x1b[2K${label}  done in ${elapsed()}\n`);
			else output.write(`${label}: done in ${elapsed()}\n`);
			return result;
		} catch (error) {
			output.write(`${live ? '\r\x1b[2K' : ''}${label}: failed after ${elapsed()}\n`);
			throw error;
		} finally {
			clearInterval(timer);
			redraw = undefined;
		}
	}

	/** @param {string} text */
	function note(text) {
		output.write(`${redraw ? '\r\x1b[2K' : ''}      ${text}\n`);
		redraw?.();
	}

	return { step, note };
}
