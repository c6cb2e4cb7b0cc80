import { getCountries } from 'libphonenumber-js/max';
import { DEFAULT_COUNTRY, isPhoneCountry, type PhoneCountry } from './phoneNumber';

/** Longer than any country name in English. */
const LONGEST_NAME = 60;

let countriesByName: ReadonlyMap<string, PhoneCountry> | undefined;

/**
 * Reads a country as people write it: its ISO 3166-1 code of two letters, or its name in English.
 * @returns the code, or undefined if there is no such country with phone numbers
 */
export function readPhoneCountry(typed: string): PhoneCountry | undefined {
	const code = typed.trim().toUpperCase();
	if (isPhoneCountry(code)) return code;
	if (code.length > LONGEST_NAME) return undefined;
	countriesByName ??= readNames();
	return countriesByName.get(plain(code));
}

/**
 * Reads a Default Country field, like {@link readPhoneCountry}.
 * @returns the country, Ghana for an empty field; or the cause and the next step, to be read after the field's name
 * @example readDefaultCountry('') // 'GH'
 */
export function readDefaultCountry(typed: string): PhoneCountry | { readonly message: string } {
	if (typed.trim() === '') return DEFAULT_COUNTRY;
	return readPhoneCountry(typed) ?? { message: 'is not a country: enter a two-letter code, e.g. GH' };
}

/** A country with phone numbers, as a choice in a list. */
export interface NamedCountry {
	/** In English. */
	readonly name: string;
	readonly code: PhoneCountry;
}

/**
 * All countries with phone numbers, in the order of their names.
 * @example const choices = phoneCountries().map(({ name, code }) => ({ name, value: code }));
 */
export function phoneCountries(): readonly NamedCountry[] {
	const names = new Intl.DisplayNames(['en'], { type: 'region' });
	return getCountries()
		.map((code) => ({ name: names.of(code) ?? code, code }))
		.sort((one, other) => one.name.localeCompare(other.name));
}

function readNames(): ReadonlyMap<string, PhoneCountry> {
	return new Map(phoneCountries().map(({ name, code }) => [plain(name), code]));
}

/** Removes differences in spelling: capitals, accents, the article, and all characters but letters. */
function plain(name: string): string {
	return name
		.normalize('NFKD')
		.toLowerCase()
		.replace(/^the /, '')
		.replace(/&/g, 'and')
		.replace(/[^\p{L}]/gu, '');
}
