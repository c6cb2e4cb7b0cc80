import { SegmentedMessage } from 'sms-segments-calculator';
import { split } from 'split-sms';
import { countSegments } from '../../shared/text/countSegments';
import { segments } from '../../shared/text/segments';
import { cheaperSpelling, plainLetters } from '../../shared/text/spelling';
import { fc, runCount } from '../support/random';

const basic = fc.constantFrom(
	...Array.from('aeiouMNPZ 0189@£$¥èéùìòÇØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ¡ÄÖÑÜ§¿äöñüà!"#¤%&\'()*+,-./:;<=>?'),
);
const lineBreak = fc.constantFrom('\n', '\r', '\r\n');
const extension = fc.constantFrom(...Array.from('€[]{}\\^~|\f'));
const foreign = fc.constantFrom(...Array.from('₵₦¢ɛɔçêœ’“”–…`\t\u00a0中ش\u200b\u001b\u0000\u007f'));
const pair = fc.constantFrom('😀', '🎂', '🇬', '𝒳', '\u{10ffff}');
const combining = fc.constantFrom('\u0301', '\u0308', '\u20e3', '\ufe0f');
const cluster = fc.constantFrom('👩‍👩‍👧', '👍🏽', '🇬🇭', 'e\u0301', '1\ufe0f\u20e3', '❤️');
const loneSurrogate = fc.constantFrom('\ud83d', '\ude00');

/** Texts long enough for several parts, with runs of characters, so each kind of character occurs at borders. */
const textOf = (...kinds: fc.Arbitrary<string>[]) =>
	fc
		.array(fc.tuple(fc.oneof(...kinds), fc.nat({ max: 170 })), { maxLength: 10 })
		.map((runs) => runs.map(([character, times]) => character.repeat(times)).join(''))
		.chain((text) => fc.array(fc.oneof(...kinds), { maxLength: 60 }).map((end) => text + end.join('')));

const gsmText = textOf(basic, lineBreak, extension);
const singleCodePoints = textOf(basic, basic, lineBreak, extension, foreign, pair);
const anyText = textOf(basic, lineBreak, extension, foreign, pair, combining, cluster, loneSurrogate);
const wellFormed = textOf(basic, lineBreak, extension, foreign, pair, combining, cluster);
const runs = { numRuns: runCount(400) };

function splitSms(text: string) {
	const { characterSet, parts, bytes, remainingInPart } = split(text);
	const gsm = characterSet === 'GSM';
	return {
		encoding: gsm ? 'GSM-7' : 'UCS-2',
		units: gsm ? bytes : bytes / 2,
		units_left: remainingInPart,
		segment_count: parts.length,
	};
}

function twilio(text: string) {
	const message = new SegmentedMessage(text);
	return { encoding: message.encodingName, segment_count: message.segmentsCount };
}

function ours(text: string) {
	const { encoding, segment_count } = countSegments(text);
	return { encoding, segment_count };
}

/** The standard in its simplest form: packs indivisible units one by one. Written independently of the code under test. */
function packed(atoms: readonly string[], size: (atom: string) => number, single: number, part: number) {
	const sizes = atoms.map(size);
	const units = sizes.reduce((sum, next) => sum + next, 0);
	if (units <= single) return { units, count: 1 };
	let count = 1;
	let used = 0;
	for (const next of sizes) {
		if (used + next > part) {
			count++;
			used = 0;
		}
		used += next;
	}
	return { units, count };
}

describe('countSegments', () => {
	it('equals split-sms for every well-formed text, to the unit', () => {
		fc.assert(
			fc.property(wellFormed, (text) => {
				expect(countSegments(text)).toEqual(splitSms(text));
			}),
			runs,
		);
	});

	it('equals sms-segments-calculator if each character is one code point', () => {
		// sms-segments-calculator never splits an emoji of several code points or a letter with an accent. The standard allows it.
		fc.assert(
			fc.property(fc.oneof(gsmText, singleCodePoints), (text) => {
				const { graphemes } = new SegmentedMessage(text);
				fc.pre(graphemes.every((grapheme) => [...grapheme].length === 1));
				expect(ours(text)).toEqual(twilio(text));
			}),
			{ numRuns: runCount(150) },
		);
	});

	it('has the same encoding as sms-segments-calculator for every text', () => {
		fc.assert(
			fc.property(anyText, (text) => {
				const message = new SegmentedMessage(text);
				expect(countSegments(text).encoding).toBe(message.encodingName);
			}),
			{ numRuns: runCount(100) },
		);
	});

	it('never splits escape pairs and surrogate pairs', () => {
		fc.assert(
			fc.property(anyText, (text) => {
				const count = countSegments(text);
				const atoms = [...text];
				const expected =
					count.encoding === 'GSM-7'
						? packed(atoms, (atom) => ('€[]{}\\^~|\f'.includes(atom) ? 2 : 1), 160, 153)
						: packed(atoms, (atom) => atom.length, 70, 67);
				expect({ units: count.units, count: count.segment_count }).toEqual(expected);
			}),
			runs,
		);
	});

	it('gives the number of remaining units: that many more keep the count, and one more increases it', () => {
		fc.assert(
			fc.property(anyText, (text) => {
				const { segment_count, units_left } = countSegments(text);
				// A filler that cannot form a pair with a high surrogate at the end.
				expect(countSegments(text + 'a'.repeat(units_left)).segment_count).toBe(segment_count);
				expect(countSegments(text + 'a'.repeat(units_left + 1)).segment_count).toBe(segment_count + 1);
			}),
			runs,
		);
	});
});

describe('segments', () => {
	it('names each non-GSM character as sms-segments-calculator does, and counts code points', () => {
		fc.assert(
			fc.property(textOf(basic, lineBreak, extension, foreign, pair, combining), (text) => {
				const { characters, ucs2_characters, ...count } = segments(text);
				expect(count).toEqual(countSegments(text));
				expect(characters).toBe([...text].length);
				const isForeign = (character: string) =>
					character.length > 1 || new SegmentedMessage(character).encodingName === 'UCS-2';
				const different = [...new Set(text)];
				expect(ucs2_characters.map(({ character }) => character)).toEqual(different.filter(isForeign));
			}),
			{ numRuns: runCount(100) },
		);
	});

	it('gives the same result again, whatever the previous input', () => {
		fc.assert(
			fc.property(anyText, anyText, (text, other) => {
				const first = segments(text);
				segments(other);
				expect(segments(text)).toEqual(first);
			}),
			runs,
		);
	});
});

describe('cheaperSpelling', () => {
	const typography = fc.constantFrom(...Array.from('₵₦’“”–…`\t\u00a0«»•×™\u200b'), 'GH₵', 'GH₵ ', 'e\u0301', 'n\u0303');
	const words = fc.constantFrom('Only ', 'today', ' 50', ', ', 'GHS ', 'é', '€', '\n', '.');
	const text = textOf(typography, words, words).map((long) => long.slice(0, 700));

	it('gives a cheaper spelling in GSM-7 that keeps all letters and digits in order, and its savings', () => {
		fc.assert(
			fc.property(text, (original) => {
				const cheaper = cheaperSpelling(original);
				if (cheaper === undefined) return;
				expect(cheaper.before).toEqual(countSegments(original));
				expect(cheaper.after).toEqual(countSegments(cheaper.text));
				expect(cheaper.after.encoding).toBe('GSM-7');
				expect(cheaper.segments_saved).toBe(cheaper.before.segment_count - cheaper.after.segment_count);
				expect(cheaper.segments_saved).toBeGreaterThan(0);
				const kept = cheaper.text[Symbol.iterator]();
				for (const character of original.normalize('NFC').match(/[\p{L}\p{N}]/gu) ?? []) {
					expect([...takeUntil(kept, character)].at(-1)).toBe(character);
				}
			}),
			runs,
		);
	});

	it('does not change a text that cannot become cheaper', () => {
		fc.assert(
			fc.property(gsmText, text, fc.constantFrom('ɛ', '🎂', 'ç', '中'), (plain, dear, letter) => {
				expect(cheaperSpelling(plain)).toBeUndefined();
				expect(cheaperSpelling(dear + letter)).toBeUndefined();
			}),
			runs,
		);
	});

	function* takeUntil(characters: Iterator<string>, wanted: string): Generator<string> {
		for (let next = characters.next(); next.done !== true; next = characters.next()) {
			yield next.value;
			if (next.value === wanted) return;
		}
	}
});

describe('plainLetters', () => {
	const letter = fc.constantFrom(...Array.from('ɛƐɔƆŋŊɖƉƒƑɣƔʋƲãẽũ'), 'ɔ\u0303', 'ɛ\u0301');
	const word = fc.constantFrom('Akwaaba ', 'wo', ' fie', ', ', '₵5', '’', 'é', '\n', '.');
	const text = textOf(letter, word, word).map((long) => long.slice(0, 700));
	const plain: Readonly<Record<string, string>> = {
		ɛ: 'e',
		ɔ: 'o',
		ŋ: 'n',
		ɖ: 'd',
		ƒ: 'f',
		ɣ: 'g',
		ʋ: 'v',
		ã: 'a',
		ẽ: 'e',
		ũ: 'u',
	};

	it('gives fewer segments in GSM-7, with the same letters in order', () => {
		fc.assert(
			fc.property(text, (original) => {
				const offered = plainLetters(original);
				if (offered === undefined) return;
				expect(offered.after).toEqual(countSegments(offered.text));
				expect(offered.after.encoding).toBe('GSM-7');
				expect(offered.segments_saved).toBe(offered.before.segment_count - offered.after.segment_count);
				expect(offered.segments_saved).toBeGreaterThan(0);
				const letters = (some: string) =>
					(some.normalize('NFC').match(/\p{L}/gu) ?? []).map((one) => one.toLowerCase());
				const expected = letters(original.replaceAll('₵', '')).map((one) => plain[one] ?? one);
				expect(letters(offered.text.replaceAll('GHS', ''))).toEqual(expected);
			}),
			runs,
		);
	});

	it('is offered for no text that is GSM-7 or has no such letter', () => {
		fc.assert(
			fc.property(gsmText, textOf(word), (cheap, dear) => {
				expect(plainLetters(cheap)).toBeUndefined();
				expect(plainLetters(dear)).toBeUndefined();
			}),
			runs,
		);
	});
});
