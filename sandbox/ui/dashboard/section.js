import { make } from './make.js';

/** Makes a card with a heading. */
export function card(title, ...content) {
	return make('section', { class: 'card' }, make('h2', {}, title), ...content);
}

/** Makes an explanatory paragraph. */
export function hint(...content) {
	return make('p', { class: 'hint' }, ...content);
}

/** Makes a link to another section. */
export function link(text, place) {
	return make('a', { href: `/#/${place}` }, text);
}
