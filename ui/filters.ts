import { goTo, type Place, readPlace, replacePlace, toUrl } from './router';

/** The filters of a list. They are in the URL, so a reload, a bookmark and the back button keep them. */
export interface Filters<Name extends string> {
	/** The filters by name, for the query of a request. One that is not set is an empty text. */
	readonly values: Readonly<Record<string, string>>;
	/** Whether any is set. */
	readonly any: boolean;
	/** Identifies them. */
	readonly key: string;
	/** The text to search for. */
	readonly search: string;
	valueOf(name: Name): string;
	/** Sets a filter in a new entry of the browser's history. */
	choose(name: Name, value: string): void;
	/** Sets the text to search for while the user types it. */
	type(text: string): void;
	/** Removes all filters and focuses the search. */
	readonly clear: () => void;
	/** Returns the URL of a record in this section, with the same filters. */
	urlOf(id: string | number): string;
	/** Goes back from a record to the list. */
	readonly close: () => void;
}

/**
 * Reads the filters of a list from its place in the URL.
 * @param section name of the section in the URL
 * @param names the filters besides the search
 */
export function filtersOf<Name extends string>(
	section: string,
	{ query }: Place,
	names: readonly Name[],
): Filters<Name> {
	const valuesIn = (from: URLSearchParams) =>
		Object.fromEntries(['search', ...names].map((name) => [name, from.get(name) ?? '']));
	const read = (name: string) => query.get(name) ?? '';
	const values = valuesIn(query);
	// A second change can come before the page is drawn with the first one. The browser also reports late that a panel is
	// closed.
	const url = (changes: Readonly<Record<string, string>>) =>
		toUrl(section, undefined, { ...valuesIn(readPlace().query), ...changes });
	return {
		values,
		any: Object.values(values).some((value) => value !== ''),
		key: JSON.stringify(values),
		search: read('search'),
		valueOf: read,
		choose: (name, value) => goTo(url({ [name]: value })),
		type: (text) => replacePlace(url({ search: text.trim() })),
		clear: () => {
			goTo(toUrl(section));
			document.querySelector<HTMLInputElement>('input[name=search]')?.focus();
		},
		urlOf: (id) => toUrl(section, id, values),
		close: () => {
			if (readPlace().name === section) goTo(url({}));
		},
	};
}
