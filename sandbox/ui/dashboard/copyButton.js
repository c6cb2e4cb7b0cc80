import { make, setText } from './make.js';
import { tellNews } from './news.js';

/**
 * Makes a button that copies.
 * @param {() => string} read gives what to copy
 * @param {string} what names it for people who cannot see what stands beside the button
 */
export function copyButton(read, what) {
	const words = make('span', {}, 'Copy');
	const button = make('button', { type: 'button', class: 'small', 'aria-label': `Copy ${what}`, onclick: copy }, words);

	async function copy() {
		try {
			await navigator.clipboard.writeText(read());
			setText(words, 'Copied');
			tellNews(`Copied: ${what}`);
		} catch {
			setText(words, 'Select and copy');
		}
		setTimeout(() => setText(words, 'Copy'), 2000);
	}
	return button;
}
