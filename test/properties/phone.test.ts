import { getCountries, parsePhoneNumberFromString, type CountryCode } from 'libphonenumber-js/max';
import mobileExamples from 'libphonenumber-js/mobile/examples';
import { contract } from '../../shared/contract';
import { readPhoneNumber } from '../../shared/phone/phoneNumber';
import { fc, runCount } from '../support/random';

const countries = getCountries();
const country = fc.constantFrom(...countries);
const digits = (minLength: number, maxLength: number) =>
	fc.array(fc.nat({ max: 9 }), { minLength, maxLength }).map((list) => list.join(''));

/** The result of libphonenumber for a text: the number and its type, if it is valid. */
function oracle(text: string, defaultCountry?: CountryCode) {
	const parsed = parsePhoneNumberFromString(text, { ...(defaultCountry && { defaultCountry }), extract: false });
	// E.164 allows 15 digits at most, and the contract requires 7. libphonenumber accepts a few German numbers beyond both.
	if (parsed === undefined || parsed.number.length < 8 || parsed.number.length > 16) return undefined;
	return parsed.isValid() ? { e164: parsed.number, country: parsed.country, type: parsed.getType() } : undefined;
}

/** A valid mobile number of any country, with random last digits. */
const mobile = fc
	.tuple(fc.constantFrom(...countries.filter((code) => code in mobileExamples)), digits(4, 4))
	.map(([code, end]) => {
		const example = mobileExamples[code];
		return parsePhoneNumberFromString(example.slice(0, -4) + end, code);
	})
	.filter((parsed) => parsed?.isValid() === true && parsed.country !== undefined)
	.map((parsed) => {
		if (parsed?.country === undefined) throw new Error('filtered before');
		return {
			e164: parsed.number,
			country: parsed.country,
			calling: parsed.countryCallingCode,
			national: parsed.nationalNumber,
			asNational: parsed.formatNational(),
			asInternational: parsed.formatInternational(),
		};
	});

/** Rewrites a number with other spaces, dashes and dots, or none, as people do. */
const separators = fc.array(fc.constantFrom(' ', '-', '', '.', '\u00a0', '–', '  '), { minLength: 1, maxLength: 8 });
const retyped = (text: string, list: readonly string[]) => {
	let index = 0;
	return text.replace(/[\s-]/g, () => list[index++ % list.length] ?? ' ');
};
const runs = { numRuns: runCount(600) };

describe('readPhoneNumber', () => {
	it('reads any international text as libphonenumber does, and distinguishes landlines from mobiles', () => {
		const known = fc.constantFrom('+233', '+234', '+225', '+221', '+44', '+1', '+39', '+27', '+');
		fc.assert(
			fc.property(known, digits(4, 12), (prefix, rest) => {
				const text = prefix + rest;
				fc.pre(!rest.startsWith('00') || prefix !== '+');
				fc.pre(!text.startsWith('+2339900000') && !text.startsWith('+23309900000'));
				const expected = oracle(text);
				const reading = readPhoneNumber(text);
				expect(reading.ok ? reading.e164 : undefined).toBe(expected?.e164);
				if (!reading.ok) return;
				expect(reading.country).toBe(expected?.country);
				const reported = { MOBILE: 'mobile', FIXED_LINE: 'landline' };
				const unclear = ['FIXED_LINE_OR_MOBILE', 'VOIP', 'PERSONAL_NUMBER', undefined].includes(expected?.type);
				const type =
					expected?.type === 'MOBILE' || expected?.type === 'FIXED_LINE' ? reported[expected.type] : undefined;
				expect(reading.type).toBe(type ?? (unclear ? 'unknown' : 'special'));
			}),
			{ numRuns: runCount(2000) },
		);
	});

	it('reads the digits of each country as libphonenumber does, and never as a number of another country', () => {
		fc.assert(
			fc.property(country, digits(1, 14), (defaultCountry, text) => {
				fc.pre(!text.startsWith('00'));
				const expected = oracle(text, defaultCountry);
				const reading = readPhoneNumber(text, { defaultCountry });
				expect(reading.ok ? reading.e164 : undefined).toBe(expected?.e164);
			}),
			{ numRuns: runCount(2000) },
		);
	});

	it('reads each spelling of a mobile number as the same number', () => {
		fc.assert(
			fc.property(mobile, separators, (number, list) => {
				const { e164, calling, asNational, asInternational } = number;
				const expected = { ok: true, e164, country: number.country };
				const options = { defaultCountry: number.country };
				const read = (text: unknown) => readPhoneNumber(text, options);
				expect(read(e164)).toMatchObject(expected);
				expect(read(retyped(asInternational, list))).toMatchObject(expected);
				expect(read(retyped(asNational, list))).toMatchObject(expected);
				expect(read(`'${asNational}`)).toMatchObject(expected);
				expect(read(asNational.replace(/\d/g, (d) => String.fromCharCode(0xff10 + Number(d))))).toMatchObject(expected);
				expect(readPhoneNumber(`00${e164.slice(1)}`)).toMatchObject(expected);
				expect(readPhoneNumber(`(+${calling}) ${asInternational.slice(calling.length + 1)}`)).toMatchObject(expected);
			}),
			runs,
		);
	});

	it('restores a number of Ghana after a spreadsheet removed the zero', () => {
		fc.assert(
			fc.property(fc.constantFrom(20, 23, 24, 26, 27, 50, 54, 55, 59), fc.nat({ max: 9_999_999 }), (prefix, rest) => {
				const national = `${prefix}${String(rest).padStart(7, '0')}`;
				fc.pre(oracle(`+233${national}`) !== undefined);
				const expected = { ok: true, e164: `+233${national}`, country: 'GH', type: 'mobile' };
				for (const input of [`0${national}`, national, Number(national), `${national}.0`]) {
					expect(readPhoneNumber(input)).toEqual(expected);
				}
			}),
			runs,
		);
	});

	it('reads its own result as the same number, which the contract accepts', () => {
		const { shape } = contract.sms.send.input;
		fc.assert(
			fc.property(country, fc.oneof(digits(3, 16), fc.string()), (defaultCountry, text) => {
				const reading = readPhoneNumber(text, { defaultCountry });
				if (!reading.ok) return;
				expect(readPhoneNumber(reading.e164)).toEqual(reading);
				expect(shape.to.safeParse(reading.e164).success).toBe(true);
			}),
			{ numRuns: runCount(2000) },
		);
	});

	it('accepts in unknown ranges only numbers with the length of a mobile number, and changes no valid number', () => {
		fc.assert(
			fc.property(country, digits(3, 14), fc.boolean(), (defaultCountry, text, international) => {
				const typed = international ? `+${text}` : text;
				const strict = readPhoneNumber(typed, { defaultCountry });
				const allowed = readPhoneNumber(typed, { defaultCountry, allowUnknownRanges: true });
				if (strict.ok || strict.problem !== 'unknown_range') {
					expect(allowed).toEqual(strict);
					return;
				}
				if (!allowed.ok) {
					expect(allowed.problem).toBe('ambiguous');
					return;
				}
				expect(oracle(allowed.e164)).toBeUndefined();
				// Countries that share a calling code share its unknown ranges, so the country may be unknown.
				const { e164, type } = allowed;
				expect(readPhoneNumber(e164, { allowUnknownRanges: true })).toMatchObject({ ok: true, e164, type });
				expect(contract.sms.send.input.shape.to.safeParse(allowed.e164).success).toBe(true);
				if (allowed.country !== 'GH') return;
				expect(allowed.e164).toMatch(/^\+233\d{9}$/);
			}),
			{ numRuns: runCount(5000) },
		);
	});

	it('accepts every range of nine digits in Ghana on request', () => {
		fc.assert(
			fc.property(fc.integer({ min: 100_000_000, max: 999_999_999 }), (national) => {
				fc.pre(!String(national).startsWith('9900000'));
				const expected = { ok: true, e164: `+233${national}`, country: 'GH' };
				expect(readPhoneNumber(`0${national}`, { allowUnknownRanges: true })).toMatchObject(expected);
				expect(readPhoneNumber(`+233${national}`, { allowUnknownRanges: true })).toMatchObject(expected);
			}),
			runs,
		);
	});

	it('reads any input without throwing', () => {
		fc.assert(
			fc.property(fc.anything(), (input) => {
				const reading = readPhoneNumber(input);
				if (!reading.ok) expect(reading.message).not.toBe('');
			}),
			runs,
		);
	});

	it('has an example of a mobile number for nearly every country', () => {
		// Otherwise the properties above would pass without cases.
		expect(countries.filter((code) => code in mobileExamples).length).toBeGreaterThan(230);
	});
});
