import { cheaperSpelling, plainLetters } from '../../../shared/text/spelling';

// Long enough to need two segments in UCS-2 and one in GSM-7.
const opening = 'Dear customer, thank you for your order at our shop in Osu, Accra, Ghana. ';
const spelled = (text: string) => cheaperSpelling(opening + text)?.text.slice(opening.length);

describe('cheaperSpelling', () => {
	it.each([
		['GH₵50', 'GHS 50'],
		['GH₵ 50', 'GHS 50'],
		['GH₵\u00a050', 'GHS 50'],
		['gh₵50.00!', 'GHS 50.00!'],
		['GH¢50', 'GHS 50'],
		['GHS ₵50', 'GHS 50'],
		['GH ₵50', 'GHS 50'],
		['₵50', 'GHS 50'],
		['50GH₵', '50 GHS'],
		['20₵', '20 GHS'],
		['20 ₵', '20 GHS'],
		['Only₵5', 'Only GHS 5'],
		['(₵50)', '(GHS 50)'],
		['₦1,000', 'NGN 1,000'],
		['It’s “now”', 'It\'s "now"'],
		['8–18 — daily…', '8-18 - daily...'],
		['«Bonjour»', '"Bonjour"'],
		['a`b\tc\u202fd', "a'b c d"],
		['zero\u200bwidth\ufeff', 'zerowidth'],
		['Kofi™ © ® 2×3 → •', 'Kofi(TM) (C) (R) 2x3 -> -'],
		['cafe\u0301 man\u0303ana', 'café mañana'],
	])('spells %j as %j', (dear, cheap) => {
		expect(spelled(dear)).toBe(cheap);
	});

	it.each([
		['a letter of Twi', 'Yɛda wo ase, GH₵50'],
		['a letter of French', 'Reçu GH₵50'],
		['an accent that GSM-7 has no letter for', 'e\u0302 GH₵50'],
		['an emoji', '🎂 it’s here'],
		['a cent sign on its own', '50¢'],
		['half an emoji', '\ud83d’'],
		['a text that is GSM-7 already', 'GHS 50 [€5]'],
	])('does not respell %s', (_, text) => {
		expect(spelled(text)).toBeUndefined();
	});

	it('suggests nothing that saves no segment', () => {
		expect(cheaperSpelling('GH₵50')).toBeUndefined();
		// 70 ellipses in UCS-2 are two parts, as are 210 full stops.
		expect(cheaperSpelling('…'.repeat(71))).toBeUndefined();
	});

	it('gives the replacements, their counts and the saved segments', () => {
		expect(cheaperSpelling(`${opening}It’s GH₵50, not GH₵60, it’s ₵5`)).toEqual({
			text: `${opening}It's GHS 50, not GHS 60, it's GHS 5`,
			replacements: [
				{ from: 'GH₵', to: 'GHS ', count: 2 },
				{ from: '₵', to: 'GHS ', count: 1 },
				{ from: '’', to: "'", count: 2 },
			],
			before: { encoding: 'UCS-2', units: 104, units_left: 30, segment_count: 2 },
			after: { encoding: 'GSM-7', units: 109, units_left: 51, segment_count: 1 },
			segments_saved: 1,
		});
	});
});

describe('plainLetters', () => {
	const plain = (text: string) => plainLetters(opening + text)?.text.slice(opening.length);

	it.each([
		['Yɛda mo ase', 'Yeda mo ase'],
		['ƐNNƐ YƐBUE ƆFESE', 'ENNE YEBUE OFESE'],
		['Mɔ ŋutɔ ŋkeke, ɖe ƒe ɣe ʋu', 'Mo nuto nkeke, de fe ge vu'],
		['ŊƉƑƔƲ', 'NDFGV'],
		['Yεda mo ase. Εnnε', 'Yeda mo ase. Enne'],
		['kplɔ\u0303 ɛ\u0301 gbã sẽ hũ ɔ', 'kplo e gba se hu o'],
		['ɛ àéñö', 'e àéñö'],
		['ɛ a\u0300e\u0303', 'e àe'],
		['Yɛn “GH₵50” – ɔ', 'Yen "GHS 50" - o'],
	])('writes %j as %j', (dear, letters) => {
		expect(plain(dear)).toBe(letters);
	});

	it.each([
		['a message without such a letter', 'Thank you, GH₵50'],
		['French without such a letter', 'Reçu, bientôt'],
		['an emoji beside them', 'Yɛda mo ase 🎂'],
		['a letter of another language', 'ɛ ç'],
		['Greek', 'Καλημέρα ε'],
	])('offers nothing for %s', (_, text) => {
		expect(plain(text)).toBeUndefined();
	});

	it('offers nothing that saves no segment', () => {
		expect(plainLetters('Yɛda mo ase')).toBeUndefined();
	});

	it('lists each letter that it replaces', () => {
		expect(plainLetters(`${opening}Yɛn ɛ ɔ`)).toMatchObject({
			replacements: [
				{ from: 'ɛ', to: 'e', count: 2 },
				{ from: 'ɔ', to: 'o', count: 1 },
			],
			segments_saved: 1,
		});
	});
});
