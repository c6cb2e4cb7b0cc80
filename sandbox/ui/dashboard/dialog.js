import { make, newId } from './make.js';

/**
 * Opens a dialog. Escape, its close button and a click outside close it. The focus then returns to where it was.
 * @param {object} options
 * @param {string} options.title
 * @param {readonly (Node | string)[]} options.content
 * @param {boolean} [options.side] at the edge of the page instead of in the middle
 * @param {boolean} [options.firm] not closed by a click outside
 * @param {() => void} [options.onClose]
 * @returns {HTMLDialogElement}
 */
export function openDialog({ title, content, side = false, firm = false, onClose }) {
	const id = newId('dialog');
	const close = make('button', { type: 'button', class: 'close', 'aria-label': 'Close' }, '×');
	const heading = make('h2', { id, tabindex: '-1' }, title);
	const dialog = make(
		'dialog',
		{ class: side ? 'side' : 'middle', 'aria-labelledby': id },
		make('div', { class: 'dialog-head' }, heading, close),
		make('div', { class: 'dialog-body' }, ...content),
	);
	const before = document.activeElement;
	close.addEventListener('click', () => dialog.close());
	dialog.addEventListener('click', (event) => {
		if (!firm && event.target === dialog) dialog.close();
	});
	dialog.addEventListener('close', () => {
		dialog.remove();
		onClose?.();
		if (before instanceof HTMLElement && before !== document.body && before.isConnected) before.focus();
		else document.getElementById('title').focus();
	});
	document.body.append(dialog);
	dialog.showModal();
	heading.focus();
	return dialog;
}

/**
 * Asks for confirmation before an action that cannot be undone.
 * @returns {Promise<boolean>} whether the user confirmed
 */
export async function confirm({ title, text, action }) {
	return await new Promise((resolve) => {
		let agreed = false;
		const agree = make('button', { type: 'button', class: 'danger' }, action);
		const leave = make('button', { type: 'button' }, 'Cancel');
		const dialog = openDialog({
			title,
			content: [make('p', {}, text), make('div', { class: 'buttons end' }, leave, agree)],
			onClose: () => resolve(agreed),
		});
		leave.addEventListener('click', () => dialog.close());
		agree.addEventListener('click', () => {
			agreed = true;
			dialog.close();
		});
	});
}
