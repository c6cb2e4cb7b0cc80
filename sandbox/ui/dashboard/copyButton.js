import { make, setText } from './make.js';
import { showToast } from './toast.js';

/**
 * Makes a button that copies a value.
 * @param {() => string} read returns the value
 * @param {string} what names the value for screen readers
 */
export function copyButton(read, what) {
	const label = make('span', {}, 'Copy');
	const button = make('button', { type: 'button', class: 'small', 'aria-label': `Copy ${what}`, onclick: copy }, label);

	async function copy() {
		try {
			await navigator.clipboard.writeText(read());
			setText(label, 'Copied');
			showToast(`Copied: ${what}`);
		} catch {
			setText(label, 'Select and copy');
		}
		setTimeout(() => setText(label, 'Copy'), 2000);
	}
	return button;
}
