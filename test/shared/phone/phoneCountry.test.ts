import { readDefaultCountry } from '../../../shared';
import { readPhoneCountry } from '../../../shared/phone/phoneCountry';
import { defaultCountryField } from '../../../zapier/fields';

describe('readDefaultCountry', () => {
	it.each(['', ' \n'])('reads %j as Ghana', (typed) => {
		expect(readDefaultCountry(typed)).toBe('GH');
	});

	it('reads a country as readPhoneCountry does', () => {
		expect(readDefaultCountry(' nigeria ')).toBe('NG');
	});

	it('gives a message for the field of a text that is not a country', () => {
		expect(readDefaultCountry('Atlantis')).toEqual({ message: expect.any(String) as string });
	});
});

describe('readPhoneCountry', () => {
	it.each([
		['GH', 'GH'],
		[' ng\n', 'NG'],
		['Ghana', 'GH'],
		[' ghana ', 'GH'],
		["Cote d'Ivoire", 'CI'],
		['Côte d’Ivoire', 'CI'],
		['The Gambia', 'GM'],
		['Gambia', 'GM'],
		['UNITED KINGDOM', 'GB'],
		['Trinidad and Tobago', 'TT'],
	])('reads the country %j as %s', (typed, code) => {
		expect(readPhoneCountry(typed)).toBe(code);
	});

	it.each(['', ' ', 'Atlantis', 'ZZ', 'the', 'x'.repeat(1_000_000)])('finds no country in %.20j', (typed) => {
		expect(readPhoneCountry(typed)).toBeUndefined();
	});

	it('reads every name that Zapier shows in Default Country', () => {
		const names = Object.entries(defaultCountryField.choices);
		expect(names.length).toBeGreaterThan(10);
		expect(names.map(([, name]) => readPhoneCountry(name))).toEqual(names.map(([code]) => code));
	});
});
