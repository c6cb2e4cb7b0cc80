import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { isPhoneCountry, readPhoneNumber, type PhoneCountry } from '../../../shared/phone/phoneNumber';

const KOFI = { ok: true, e164: '+233244123456', country: 'GH', type: 'mobile' };

describe('readPhoneNumber', () => {
	it.each<[unknown]>([
		['+233244123456'],
		['+233 24 412 3456'],
		['+233 (0)24 412 3456'],
		['+233 (0) 24-412-3456'],
		['+2330244123456'],
		['(+233) 244 123 456'],
		['++233244123456'],
		['00233244123456'],
		['00 233 (0)24 412 3456'],
		['+00233244123456'],
		['233244123456'],
		['233 0244123456'],
		['0244123456'],
		['024 412 3456'],
		['024-412-3456'],
		['024.412.3456'],
		['(024) 412 3456'],
		['024/4123456'],
		['024–412—3456'],
		['024\u00a0412\u202f3456'],
		['\t0244123456\r\n'],
		['244123456'],
		[244123456],
		[233244123456],
		['244123456.0'],
		['233244123456.00'],
		['233,244,123,456'],
		["'0244123456"],
		['’0244123456'],
		['="0244123456"'],
		['"+233244123456"'],
		['tel:+233-24-412-3456'],
		['\u202a+233 24 412 3456\u202c'],
		['０２４４１２３４５６'],
		['＋２３３（２４）４１２‐３４５６'],
		['٠٢٤٤١٢٣٤٥٦'],
		['۰۲۴۴۱۲۳۴۵۶'],
		['০২৪৪১২৩৪৫৬'],
		['whatsapp:+233244123456'],
		['WhatsApp: 0244123456'],
		['sms:+233244123456'],
		['p:+233244123456'],
		['"p:+233244123456"'],
		['233244123456@c.us'],
		['233244123456@s.whatsapp.net'],
		['0244123456<br>'],
		['<p>0244123456</p>'],
		['<p><span style="color: red">024</span>&nbsp;412 3456<br/></p>'],
		['<a href="tel:+233244123456">+233 24 412 3456</a>'],
		['&nbsp;0244123456&nbsp;'],
		['0244123456,'],
		['0244123456;'],
		[', 0244123456 ,'],
		[['0244123456']],
		[[244123456, '', null]],
		['["0244123456"]'],
	])('reads %j as a mobile number of Ghana', (input) => {
		expect(readPhoneNumber(input)).toEqual(KOFI);
	});

	it.each<[string, PhoneCountry, string, PhoneCountry, string]>([
		['0302123456', 'GH', '+233302123456', 'GH', 'landline'],
		['+233 30 212 3456', 'NG', '+233302123456', 'GH', 'landline'],
		['0800 123 456', 'GH', '+233800123456', 'GH', 'special'],
		['0803 123 4567', 'NG', '+2348031234567', 'NG', 'mobile'],
		['009 233 24 412 3456', 'NG', '+233244123456', 'GH', 'mobile'],
		['00 233 24 412 3456', 'NG', '+233244123456', 'GH', 'mobile'],
		['0011 233 24 412 3456', 'AU', '+233244123456', 'GH', 'mobile'],
		['011 233 24 412 3456', 'US', '+233244123456', 'GH', 'mobile'],
		['07 07 07 07 07', 'CI', '+2250707070707', 'CI', 'mobile'],
		['77 123 45 67', 'SN', '+221771234567', 'SN', 'mobile'],
		['0712 123456', 'KE', '+254712123456', 'KE', 'mobile'],
		['07400 123456', 'GB', '+447400123456', 'GB', 'mobile'],
		['020 7946 0958', 'GB', '+442079460958', 'GB', 'landline'],
		['+44 (0)20 7946 0958', 'GH', '+442079460958', 'GB', 'landline'],
		['+39 06 1234 5678', 'GH', '+390612345678', 'IT', 'landline'],
		['(202) 555-0143', 'US', '+12025550143', 'US', 'unknown'],
		['51234', 'SH', '+29051234', 'SH', 'mobile'],
		['+5215512345678', 'GH', '+525512345678', 'MX', 'unknown'],
		['whatsapp:+5215512345678', 'GH', '+525512345678', 'MX', 'unknown'],
		['005215512345678', 'GH', '+525512345678', 'MX', 'unknown'],
		['5215512345678', 'MX', '+525512345678', 'MX', 'unknown'],
		['5215512345678@c.us', 'GH', '+525512345678', 'MX', 'unknown'],
		['+5491123456789', 'GH', '+5491123456789', 'AR', 'mobile'],
	])('reads %j with the default country %s', (input, defaultCountry, e164, country, type) => {
		expect(readPhoneNumber(input, { defaultCountry })).toEqual({ ok: true, e164, country, type });
	});

	it('reads a number among 200,000 spaces', () => {
		const typed = `${' '.repeat(100_000)}="020 123 4567" ${' '.repeat(100_000)}`;
		expect(readPhoneNumber(typed)).toMatchObject({ e164: '+233201234567' });
	});

	it('reads an international number without a country', () => {
		expect(readPhoneNumber('+800 1234 5678')).toEqual({ ok: true, e164: '+80012345678', type: 'special' });
	});

	it.each<[unknown, string]>([
		['', 'empty'],
		[' '.repeat(500_000), 'empty'],
		[`1${' '.repeat(500_000)}1`, 'not_a_number'],
		['"'.repeat(500_000), 'not_a_number'],
		['+233201234567, '.repeat(50_000), 'several_numbers'],
		['Ama Mensah '.repeat(50_000), 'letters'],
		['  \u200b ', 'empty'],
		["'", 'empty'],
		[null, 'empty'],
		[undefined, 'empty'],
		['2.33244E+11', 'scientific_notation'],
		['2.33244123456E+11', 'scientific_notation'],
		['2,33244e11', 'scientific_notation'],
		["'2.33244E+11", 'scientific_notation'],
		[2.33244e11, 'scientific_notation'],
		[2.33e11, 'scientific_notation'],
		['KOFISHOP', 'letters'],
		['MTN', 'letters'],
		['Shop24', 'letters'],
		['O244123456', 'letters'],
		['0244 123 456 ext 5', 'letters'],
		['#N/A', 'sheet_error'],
		['#ERROR!', 'sheet_error'],
		['#REF!', 'sheet_error'],
		['#NAME?', 'sheet_error'],
		['kofi@example.com', 'letters'],
		['1234', 'short_code'],
		[1921, 'short_code'],
		['*170#', 'short_code'],
		['0244123456,0201234567', 'several_numbers'],
		['0244123456; 0201234567', 'several_numbers'],
		['0244123456 / 0201234567', 'several_numbers'],
		['0244123456\n0201234567', 'several_numbers'],
		['+233244123456+233201234567', 'several_numbers'],
		['0244123456 0201234567', 'too_long'],
		['02441234567', 'too_long'],
		['+233 24 412', 'too_short'],
		['+233', 'too_short'],
		['+999 24 412 3456', 'unknown_country_code'],
		['+0244123456', 'unknown_country_code'],
		['2348031234567', 'missing_plus'],
		[447400123456, 'missing_plus'],
		['7911123456', 'too_long'],
		['0214123456', 'unknown_range'],
		['+233 99 123 4567', 'unknown_range'],
		['0251234567', 'unknown_range'],
		['+44 7000 123', 'not_in_use'],
		['-', 'not_a_number'],
		['+', 'not_a_number'],
		['0244_123456', 'not_a_number'],
		['0244+123456', 'not_a_number'],
		['-0244123456', 'not_a_number'],
		['024412345', 'not_in_use'],
		[-233244123456, 'not_a_number'],
		[244123456.5, 'not_a_number'],
		[0, 'not_a_number'],
		[NaN, 'not_a_number'],
		[Infinity, 'not_a_number'],
		[1e300, 'not_a_number'],
		[true, 'not_a_number'],
		[{}, 'not_a_number'],
		[[], 'empty'],
		[['', null], 'empty'],
		[[['0244123456']], 'not_a_number'],
		[['0244123456', '0201234567'], 'several_numbers'],
		['["0244123456", "0201234567"]', 'several_numbers'],
		['<p>0244123456</p><p>0201234567</p>', 'several_numbers'],
		['0244123456<br>0201234567', 'several_numbers'],
		['0244123456<br>Ama', 'letters'],
		['whatsapp:', 'empty'],
	])('rejects the phone number %p as %s', (input, problem) => {
		const reading = readPhoneNumber(input);
		expect(reading).toMatchObject({ ok: false, problem });
		if (reading.ok) return;
		// The text follows a field's name, and an error must not contain a person's number.
		expect(`to ${reading.message}`).toMatch(/^to (is|has|contains|holds|was|begins|could) .*(: |\. [A-Z])\w/);
		const examples = ['+233201234567', '2.33244E+11'];
		expect(examples.reduce((text, example) => text.replace(example, ''), reading.message)).not.toMatch(/\d{4}/);
	});

	it('rejects a number with 00 that has two readings', () => {
		// 0092 327 6123456 in Pakistan, or 009 232 76 123456 in Sierra Leone: Nigeria dials abroad with 009.
		expect(readPhoneNumber('00923276123456', { defaultCountry: 'NG' })).toMatchObject({ problem: 'ambiguous' });
		expect(readPhoneNumber('00923276123456')).toMatchObject({ e164: '+923276123456' });
	});

	it.each<[unknown, string, PhoneCountry]>([
		['025 123 4567', '+233251234567', 'GH'],
		['+233 58 1 234567', '+233581234567', 'GH'],
		[251234567, '+233251234567', 'GH'],
		['00233 25 123 4567', '+233251234567', 'GH'],
		['0214123456', '+233214123456', 'GH'],
		['+234 777 123 4567', '+2347771234567', 'NG'],
	])('accepts %p, in a range that the metadata does not know, only on request', (input, e164, country) => {
		expect(parsePhoneNumberFromString(e164)?.isValid()).toBe(false);
		expect(readPhoneNumber(input)).toMatchObject({ ok: false, problem: 'unknown_range' });
		expect(readPhoneNumber(input, { allowUnknownRanges: true })).toEqual({ ok: true, e164, country, type: 'unknown' });
	});

	it.each<[unknown, string]>([
		['024412345', 'not_in_use'],
		['+233 25 123 456', 'not_in_use'],
		['02512345678', 'too_long'],
		['+999 24 412 3456', 'unknown_country_code'],
		['2348031234567', 'missing_plus'],
		['+233 99 000 0002', 'sandbox_number'],
		['+800 0000 0000 00', 'too_long'],
		// Mobile numbers of Réunion have nine digits after the zero that people dial in the country.
		['+262 010000000', 'not_in_use'],
		['1234', 'short_code'],
	])('rejects %p as %s, even if unknown ranges are allowed', (input, problem) => {
		expect(readPhoneNumber(input, { allowUnknownRanges: true })).toMatchObject({ ok: false, problem });
	});

	it.each(['+491646', '+4920100000000000'])(
		'rejects %s, which is valid in Germany but not in E.164 or the API',
		(input) => {
			expect(readPhoneNumber(input)).toMatchObject({ ok: false });
		},
	);

	it('rejects landlines on request', () => {
		expect(readPhoneNumber('0302123456', { rejectLandline: true })).toMatchObject({ ok: false, problem: 'landline' });
		expect(readPhoneNumber('0244123456', { rejectLandline: true })).toEqual(KOFI);
		expect(readPhoneNumber('+12025550143', { rejectLandline: true })).toMatchObject({ ok: true, type: 'unknown' });
	});

	it.each(['+233 99 000 0002', '0990000002', '00233990000002', 233990000002])(
		'accepts %p, a number of the sandbox, only on request',
		(input) => {
			expect(readPhoneNumber(input)).toMatchObject({ ok: false, problem: 'sandbox_number' });
			const reading = readPhoneNumber(input, { sandboxNumbers: true, rejectLandline: true });
			expect(reading).toEqual({ ok: true, e164: '+233990000002', country: 'GH', type: 'mobile' });
		},
	);

	it("rejects all other numbers of the sandbox's range", () => {
		for (const input of ['+233990000102', '+233990010002', '+2339900000021']) {
			expect(readPhoneNumber(input, { sandboxNumbers: true })).toMatchObject({ ok: false });
		}
	});
});

describe('isPhoneCountry', () => {
	it.each([
		['GH', true],
		['CI', true],
		['gh', false],
		['XX', false],
		['', false],
		['constructor', false],
	])('for isPhoneCountry(%j), gives %s', (code, known) => {
		expect(isPhoneCountry(code)).toBe(known);
	});
});
