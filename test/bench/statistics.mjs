import { loadavg } from 'node:os';

/**
 * Finds the median.
 *
 * @param {readonly number[]} numbers
 * @returns {number} NaN if there are none
 */
export function median(numbers) {
	return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

/**
 * Shows the machine's load of the last minute, for the results.
 *
 * @returns {string} for example `load 0.4`
 */
export function load() {
	return `load ${(loadavg()[0] ?? Number.NaN).toFixed(1)}`;
}
