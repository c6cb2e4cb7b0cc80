import { countSegments, type SegmentCount } from './countSegments';
import { gsm7Septets } from './gsm7';

/** A character that GSM-7 does not have. */
export interface ForcingCharacter {
	/** The character as in the text. It may be invisible, or half of a broken emoji. */
	readonly character: string;
	/** Its Unicode code point, e.g. `U+20B5`. */
	readonly code_point: string;
}

/** The segments of a text, and the characters that require UCS-2. */
export interface Segmentation extends SegmentCount {
	/** Characters as the service's limit counts them: Unicode code points (docs/api.md#limits). */
	readonly characters: number;
	/** The different characters that require UCS-2, in order of appearance; empty in GSM-7. */
	readonly ucs2_characters: readonly ForcingCharacter[];
}

/**
 * Counts the segments of a text as {@link countSegments} does, and lists the characters that require UCS-2.
 * `countSegments` is several times faster, if the numbers are enough.
 * @example segments('GH₵50').ucs2_characters // [{ character: '₵', code_point: 'U+20B5' }]
 */
export function segments(text: string): Segmentation {
	const count = countSegments(text);
	if (count.encoding === 'GSM-7') return { ...count, characters: text.length, ucs2_characters: [] };
	const { codePoints, pairs } = scan(text);
	return { ...count, characters: text.length - pairs, ucs2_characters: codePoints.map(describe) };
}

// Scratch memory, all zero between calls. Reading a table is several times faster than a Set.
const seen = new Uint8Array(0x10000);

function scan(text: string): { codePoints: number[]; pairs: number } {
	const codePoints: number[] = [];
	const seenBeyond = new Set<number>();
	let pairs = 0;
	for (let index = 0; index < text.length; index++) {
		const unit = text.charCodeAt(index);
		if (gsm7Septets[unit] !== 0) continue;
		const codePoint = text.codePointAt(index) ?? unit;
		if (codePoint > 0xffff) {
			pairs++;
			index++;
			if (seenBeyond.has(codePoint)) continue;
			seenBeyond.add(codePoint);
			codePoints.push(codePoint);
		} else if (seen[unit] === 0) {
			seen[unit] = 1;
			codePoints.push(codePoint);
		}
	}
	for (const codePoint of codePoints) if (codePoint <= 0xffff) seen[codePoint] = 0;
	return { codePoints, pairs };
}

function describe(codePoint: number): ForcingCharacter {
	const hexadecimal = codePoint.toString(16).toUpperCase().padStart(4, '0');
	return { character: String.fromCodePoint(codePoint), code_point: `U+${hexadecimal}` };
}
