/**
 * Shows a list of items as the children of an element. Unchanged items keep their elements, so a button that the user is
 * about to press stays in place and keeps the focus.
 * @template Item
 * @param {Element} parent
 * @param {(item: Item) => string | number} keyOf
 * @param {(item: Item) => Element} draw
 * @returns {(items: readonly Item[]) => void}
 */
export function rows(parent, keyOf, draw) {
	let shown = new Map();
	return (items) => {
		const next = new Map();
		for (const item of items) {
			const key = keyOf(item);
			const content = JSON.stringify(item);
			const old = shown.get(key);
			if (old?.content === content) next.set(key, old);
			else next.set(key, { content, element: redraw(old?.element, draw(item)) });
		}
		for (const [key, { element }] of shown) if (!next.has(key)) element.remove();
		let place = parent.firstElementChild;
		for (const { element } of next.values()) {
			if (element === place) place = place.nextElementSibling;
			else parent.insertBefore(element, place);
		}
		shown = next;
	};
}

/** Replaces an element. The focus stays on the control with the same name, or moves to the row. */
function redraw(old, element) {
	if (!old?.isConnected) return element;
	const focused = old.contains(document.activeElement) ? nameOf(document.activeElement) : undefined;
	const open = [...old.querySelectorAll('details')].map((details) => details.open);
	old.replaceWith(element);
	[...element.querySelectorAll('details')].forEach((details, index) => {
		details.open = open[index] ?? details.open;
	});
	if (focused === undefined) return element;
	const same = [...element.querySelectorAll('a, button, pre')].find((control) => nameOf(control) === focused);
	if (!same) element.tabIndex = -1;
	(same ?? element).focus();
	return element;
}

function nameOf(control) {
	return control.getAttribute('aria-label') ?? control.textContent;
}
