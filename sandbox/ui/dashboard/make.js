/**
 * Makes an element. Strings become text nodes, never markup, so data from outside cannot inject any.
 * @param {string} tag name of an HTML element
 * @param {Record<string, unknown>} [attributes] `on…` adds a listener. True sets an attribute and false leaves it
 * out. `value`, `checked` and `selected` are set as properties
 * @param {...(Node | string | number | null | undefined | false)} children
 * @returns {any}
 */
export function make(tag, attributes = {}, ...children) {
	return fill(document.createElement(tag), attributes, children);
}

/** Makes an SVG element in the same way. */
export function makeSvg(tag, attributes = {}, ...children) {
	return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

function fill(element, attributes, children) {
	for (const [name, value] of Object.entries(attributes)) {
		if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
		else if (name === 'value' || name === 'checked' || name === 'selected') element[name] = value;
		else if (value !== false && value !== undefined && value !== null) {
			element.setAttribute(name, value === true ? '' : String(value));
		}
	}
	element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
	return element;
}

let lastId = 0;

/** Returns an ID that no other element has. */
export function newId(name) {
	lastId += 1;
	return `${name}-${lastId}`;
}

/** Sets an element's text if it differs. A screen reader would read an unchanged text again. */
export function setText(element, text) {
	if (element.textContent !== text) element.textContent = text;
}
