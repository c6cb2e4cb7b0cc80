import publicWords from './publicWords.json';

/**
 * Words of names in an API. A name that has any other word may be someone's data, such as a phone number or a sender ID as
 * the key of an object. So the report shows only names made of these words.
 */
const WORDS = new Set(Object.values(publicWords).flatMap((words) => words.split(' ')));

const LONGEST = 40;

/** Maximum number of digits in a name. More could be a part of a phone number. */
const MOST_DIGITS = 2;

/** The only public name with `@` and a dot: the next link of OData. In any other name they could be an address. */
export const NEXT_LINK = '@odata.nextLink';

/**
 * Whether the name of a field may be shown in public: only well-known words, and at most two digits.
 * @example isPublicName('wallet_balance') // true
 * @example isPublicName('KOFISHOP') // false
 */
export function isPublicName(name: string): boolean {
	return /^[A-Za-z_$][\w$-]*$/.test(name) && hasPublicWords(name);
}

/**
 * Whether a word such as a status or a code may be shown in public. Names of events may have dots.
 * @example isPublicWord('message.delivered') // true
 */
export function isPublicWord(word: string): boolean {
	return /^[A-Za-z_][\w.-]*$/.test(word) && hasPublicWords(word);
}

function hasPublicWords(name: string): boolean {
	if (name.length > LONGEST || name.replace(/\D/g, '').length > MOST_DIGITS) return false;
	const words = name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? [];
	return words.length > 0 && words.every((word) => /^\d+$/.test(word) || WORDS.has(word.toLowerCase()));
}

/** Replaces names that may be someone's data. The same name has the same replacement in the whole report. */
export interface NameMask {
	/** @returns the name itself, or one such as `field_1` if it is hidden */
	mask(name: string, isHidden: boolean): string;
}

/** Creates a mask that counts from `field_1`. */
export function createNameMask(): NameMask {
	const masked = new Map<string, string>();
	return {
		mask(name, isHidden) {
			if (!isHidden) return name;
			const known = masked.get(name) ?? `field_${(masked.size % 99) + 1}`;
			masked.set(name, known);
			return known;
		},
	};
}
