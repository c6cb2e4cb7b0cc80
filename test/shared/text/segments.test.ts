import { SegmentedMessage } from 'sms-segments-calculator';
import { split } from 'split-sms';
import { countSegments } from '../../../shared/text/countSegments';
import { segments } from '../../../shared/text/segments';

const a = (times: number) => 'a'.repeat(times);
const both = (text: string) => [new SegmentedMessage(text).segmentsCount, split(text).parts.length];

describe('segments', () => {
	it.each([
		['nothing', '', 'GSM-7', 0, 160, 1],
		['one full segment', a(160), 'GSM-7', 160, 0, 1],
		['one unit too many', a(161), 'GSM-7', 161, 145, 2],
		['two full parts', a(306), 'GSM-7', 306, 0, 2],
		['one more than two parts', a(307), 'GSM-7', 307, 152, 3],
		['an escape pair at the end of a single', `${a(158)}€`, 'GSM-7', 160, 0, 1],
		['an escape pair over a border', `${a(152)}€${a(152)}`, 'GSM-7', 306, 152, 3],
		['capital Ç and the whole of GSM-7', 'Ç@£$¥èéùìòØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ¤¡ÄÖÑÜ§¿äöñüà', 'GSM-7', 42, 118, 1],
		['CR and LF', 'a\r\nb', 'GSM-7', 4, 156, 1],
		['one full UCS-2 segment', `₵${a(69)}`, 'UCS-2', 70, 0, 1],
		['one unit too many for UCS-2', `₵${a(70)}`, 'UCS-2', 71, 63, 2],
		['an emoji over a border', `${a(66)}😀${a(66)}`, 'UCS-2', 134, 66, 3],
		['an emoji before a border', `${a(65)}😀${a(67)}`, 'UCS-2', 134, 0, 2],
		['extension characters, one unit each in UCS-2', '₵[]{}€', 'UCS-2', 6, 64, 1],
	])('counts the segments of %s', (_, text, encoding, units, units_left, segment_count) => {
		expect(countSegments(text)).toEqual({ encoding, units, units_left, segment_count });
		expect(both(text)).toEqual([segment_count, segment_count]);
	});

	it('names the characters that force UCS-2, each once, in order', () => {
		expect(segments('GH₵50 🎂 ₵20\u00a0ok 🎂')).toEqual({
			encoding: 'UCS-2',
			units: 18,
			units_left: 52,
			segment_count: 1,
			characters: 16,
			ucs2_characters: [
				{ character: '₵', code_point: 'U+20B5' },
				{ character: '🎂', code_point: 'U+1F382' },
				{ character: '\u00a0', code_point: 'U+00A0' },
			],
		});
		expect(segments('plain €5').ucs2_characters).toEqual([]);
	});

	it.each(Array.from('₵₦¢ɛɔç`\t’“”–…\u00a0\u001b'))('reports %j as a non-GSM character', (character) => {
		expect(segments(character).ucs2_characters.map((forcing) => forcing.character)).toEqual([character]);
	});

	it('classifies every 16-bit character as the libraries do', () => {
		for (let unit = 0; unit < 0xd800; unit++) {
			const character = String.fromCharCode(unit);
			const gsm = split(character).characterSet === 'GSM';
			expect([unit, countSegments(character).encoding]).toEqual([unit, gsm ? 'GSM-7' : 'UCS-2']);
			if (gsm) expect([unit, countSegments(character).units]).toEqual([unit, split(character).bytes]);
		}
		const basic = Array.from({ length: 0x3a9 + 1 }, (_, unit) => countSegments(String.fromCharCode(unit)));
		// The table has 128 places, including the escape. The euro sign, the tenth extension character, is beyond this range.
		expect(basic.filter(({ encoding, units }) => encoding === 'GSM-7' && units === 1)).toHaveLength(127);
		expect(basic.filter(({ encoding, units }) => encoding === 'GSM-7' && units === 2)).toHaveLength(9);
	});

	it('returns segments as plain data', () => {
		const report = segments('GH₵50');
		expect(JSON.parse(JSON.stringify(report))).toEqual(report);
	});
});

// If the libraries disagree: units follow the standard (3GPP TS 23.040, 9.2.3.24.1 forbids splitting a 16-bit character, and
// nothing larger), and surrogate pairs stay together, as senders keep them.
describe('differences between the libraries', () => {
	it('splits an emoji of several code points between parts, unlike sms-segments-calculator', () => {
		const family = '👩‍👩‍👧';
		const text = `${a(62)}${family}${a(64)}`;
		expect(text).toHaveLength(134);
		expect(both(text)).toEqual([3, 2]);
		expect(countSegments(text).segment_count).toBe(2);
	});

	it('splits before a combining accent, unlike sms-segments-calculator', () => {
		const text = `${a(66)}e\u0301${a(66)}`;
		expect(both(text)).toEqual([3, 2]);
		expect(countSegments(text).segment_count).toBe(2);
	});

	it('counts half an emoji as one unit, unlike split-sms, which counts two and skips the next character', () => {
		const text = `\ud83d${a(69)}`;
		expect(split(text).bytes / 2).toBe(70);
		expect(split(`${a(69)}\ud83d`).bytes / 2).toBe(71);
		expect(countSegments(text)).toMatchObject({ units: 70, segment_count: 1 });
		expect(countSegments(`${a(69)}\ud83d`)).toMatchObject({ units: 70, units_left: 0, segment_count: 1 });
		expect(new SegmentedMessage(`${a(69)}\ud83d`).segmentsCount).toBe(1);
	});
});
