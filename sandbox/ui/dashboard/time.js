import { formatTime, readTime } from './format.js';
import { make } from './make.js';

/** Makes a time element with the full time in UTC as its tooltip. */
export function time(text) {
	const iso = readTime(text).toISOString();
	return make('time', { datetime: iso, title: iso.replace('T', ' ').replace('Z', ' UTC') }, formatTime(text));
}
