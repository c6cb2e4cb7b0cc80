import publicWords from './publicWords.json';

/**
 * Words of names in an API. A name that has any other word may be someone's data, such as a phone number or a sender ID as
 * the key of an object. So the report shows only names made of these words.
 */
const WORDS = new Set(Object.values(publicWords).flatMap((words) => words.split(' ')));

const LONGEST = 40;

/**
 * Whether a name or word may be shown in public: only well-known words, and numbers with at most two digits.
 * @example isPublicName('wallet_balance') // true
 * @example isPublicName('KOFISHOP') // false
 */
export function isPublicName(name: string): boolean {
	if (name.length > LONGEST || !/^[A-Za-z_@$][\w.@$-]*$/.test(name)) return false;
	const words = name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? [];
	return words.length > 0 && words.every((word) => /^\d{1,2}$/.test(word) || WORDS.has(word.toLowerCase()));
}

/** Replaces names that may be someone's data. The same name has the same replacement in the whole report. */
export interface NameMask {
	/** @returns the name itself, or one such as `field_1` */
	mask(name: string): string;
}

/** Creates a mask that counts from `field_1`. */
export function createNameMask(): NameMask {
	const masked = new Map<string, string>();
	return {
		mask(name) {
			if (isPublicName(name)) return name;
			const known = masked.get(name) ?? `field_${(masked.size % 99) + 1}`;
			masked.set(name, known);
			return known;
		},
	};
}
