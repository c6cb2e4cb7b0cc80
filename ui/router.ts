import { useEffect, useState } from 'preact/hooks';

/** The place in the page that the URL's hash names, such as `#/messages/msg_1?status=failed`. */
export interface Place {
	/** The first part of the path. */
	readonly name: string;
	/** The rest of the path, decoded, or an empty text. */
	readonly id: string;
	readonly query: URLSearchParams;
}

/** Returns the current place and follows its changes. */
export function usePlace(): Place {
	const [place, setPlace] = useState(readPlace);
	useEffect(() => {
		const follow = () => setPlace(readPlace());
		addEventListener('hashchange', follow);
		return () => removeEventListener('hashchange', follow);
	}, []);
	return place;
}

/** Returns the current place. It can be newer than the one that a component was drawn with. */
export function readPlace(): Place {
	const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?');
	const [name = '', ...rest] = path.split('/');
	return { name, id: rest.map(decode).join('/'), query: new URLSearchParams(query) };
}

function decode(part: string): string {
	try {
		return decodeURIComponent(part);
	} catch {
		return part;
	}
}

/**
 * Returns the URL of a place, relative to the page, so that it also works behind a proxy with a path prefix.
 * @param id what the section shows, such as a message ID
 * @param query filters. Empty ones are left out
 */
export function toUrl(name: string, id?: string | number, query: Readonly<Record<string, string>> = {}): string {
	const given = Object.entries(query).filter(([, value]) => value !== '');
	const search = new URLSearchParams(given).toString();
	return `#/${name}${id === undefined ? '' : `/${encodeURIComponent(id)}`}${search && `?${search}`}`;
}

/** Goes to a place, like a click on a link to it. */
export function goTo(url: string): void {
	location.hash = url;
}

/** Goes to a place without a new entry in the browser's history, such as while the user types a filter. */
export function replacePlace(url: string): void {
	history.replaceState(null, '', url);
	dispatchEvent(new HashChangeEvent('hashchange'));
}
