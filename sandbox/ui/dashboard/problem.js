import { make, setText } from './make.js';

/** Makes a line for an error message. Screen readers read it out. */
export function problemLine() {
	const element = make('p', { class: 'problem', role: 'alert', hidden: true });
	return {
		element,
		say: (text) => {
			setText(element, text ?? '');
			element.hidden = !text;
		},
	};
}

/**
 * Makes a button whose action runs once at a time. An error is shown beside it.
 * @param {object} options
 * @param {string} options.words the text of the button
 * @param {() => Promise<unknown>} options.act
 * @param {string} [options.label] the name for screen readers
 * @param {string} [options.look] class names
 */
export function actionButton({ words, act, label, look = '' }) {
	const { element: problem, say } = problemLine();
	const button = make('button', { type: 'button', class: look || false, 'aria-label': label ?? false }, words);
	button.addEventListener('click', async () => {
		if (button.getAttribute('aria-disabled') === 'true') return;
		// A button that is disabled would lose the focus.
		button.setAttribute('aria-disabled', 'true');
		say('');
		try {
			await act();
		} catch (error) {
			say(error.message);
		} finally {
			button.removeAttribute('aria-disabled');
		}
	});
	return make('span', { class: 'action' }, button, problem);
}
