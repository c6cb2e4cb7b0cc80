import { gsm7Septets } from './gsm7';

/**
 * Encoding of a text: 7-bit septets, or 16-bit units if at least one character requires them.
 * @example const encoding: Encoding = countSegments('We are open').encoding; // 'GSM-7'
 */
export type Encoding = 'GSM-7' | 'UCS-2';

/** Size of a text in segments, the billed parts of a message. */
export interface SegmentCount {
	readonly encoding: Encoding;
	/** Size in septets (GSM-7) or UTF-16 code units (UCS-2), without headers. */
	readonly units: number;
	/** Units that still fit into the last segment. */
	readonly units_left: number;
	/** Billed segments, at least 1: an empty text is an empty message. */
	readonly segment_count: number;
}

// 140 octets, of which a concatenated message gives 6 to its header (3GPP TS 23.040, 9.2.3.24.1: 8-bit reference).
const GSM7_SINGLE = 160;
const GSM7_PART = 153;
const UCS2_SINGLE = 70;
const UCS2_PART = 67;

/**
 * Counts the segments of a text as phone networks bill them (3GPP TS 23.038 and 23.040). An escape pair of GSM-7 and a
 * surrogate pair are never split, so a text may need one more part than its size suggests. Half a surrogate pair counts as
 * one unit. National language tables are not used, because gateways rarely use them.
 * @example countSegments('Akwaaba 👋') // { encoding: 'UCS-2', units: 10, units_left: 60, segment_count: 1 }
 */
export function countSegments(text: string): SegmentCount {
	let units = 0;
	let parts = 1;
	let used = 0;
	for (let index = 0; index < text.length; index++) {
		const septets = gsm7Septets[text.charCodeAt(index)] ?? 0;
		if (septets === 0) return countUcs2(text);
		units += septets;
		used += septets;
		if (used > GSM7_PART) {
			parts++;
			used = septets;
		}
	}
	const single = units <= GSM7_SINGLE;
	return {
		encoding: 'GSM-7',
		units,
		units_left: single ? GSM7_SINGLE - units : GSM7_PART - used,
		segment_count: single ? 1 : parts,
	};
}

function countUcs2(text: string): SegmentCount {
	const units = text.length;
	const single = units <= UCS2_SINGLE;
	let parts = 1;
	let start = 0;
	// Every unit has the same size, so only the ends of parts need a check.
	while (!single && units - start > UCS2_PART) {
		start += isSurrogatePair(text, start + UCS2_PART - 1) ? UCS2_PART - 1 : UCS2_PART;
		parts++;
	}
	return {
		encoding: 'UCS-2',
		units,
		units_left: single ? UCS2_SINGLE - units : UCS2_PART - (units - start),
		segment_count: parts,
	};
}

function isSurrogatePair(text: string, index: number): boolean {
	return (text.charCodeAt(index) & 0xfc00) === 0xd800 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00;
}
