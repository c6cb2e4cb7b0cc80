/**
 * Makes an element. Texts become text nodes, never markup, so nothing from outside can become part of the page.
 * @param {string} tag name of an HTML element
 * @param {Record<string, unknown>} [attributes] `on…` adds a listener; true and false set and leave out an attribute;
 * `value`, `checked` and `selected` are set as properties
 * @param {...(Node | string | number | null | undefined | false)} children
 * @returns {any}
 */
export function make(tag, attributes = {}, ...children) {
	return fill(document.createElement(tag), attributes, children);
}

/** Makes an element of a drawing, in the same way. */
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

/** Gives an id that no other element has. */
export function newId(name) {
	lastId += 1;
	return `${name}-${lastId}`;
}

/** Writes a text where it differs: writing the same again would make a screen reader read it again. */
export function setText(element, text) {
	if (element.textContent !== text) element.textContent = text;
}
