import { formatTime, readTime } from './format.js';
import { make } from './make.js';

/** Makes a time for people that says all of itself when pointed at. */
export function time(text) {
	const iso = readTime(text).toISOString();
	return make('time', { datetime: iso, title: iso.replace('T', ' ').replace('Z', ' UTC') }, formatTime(text));
}
