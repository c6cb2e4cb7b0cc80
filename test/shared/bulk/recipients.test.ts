import { readExcludedNumbers, readPhoneList, readRecipients } from '../../../shared';
import { fc } from '../../support/random';

const numbers = (lists: unknown[], excludedNumbers?: ReadonlySet<string>) => {
	const given = lists.map((value, source) => ({ value, source }));
	const { recipients, skipped } = readRecipients(given, { defaultCountry: 'GH' }, excludedNumbers);
	return { to: recipients.map(({ to }) => to), skipped: skipped.map(({ to, reason }) => [to, reason]), recipients };
};
const mobile = fc.integer({ min: 0, max: 9_999_999 }).map((n) => `+23320${String(n).padStart(7, '0')}`);

describe('readRecipients', () => {
	it.each<[string, unknown]>([
		['a list', ['0201234567', '+233241234567']],
		['lists in a list', [['0201234567'], ['+233241234567']]],
		['text with commas', '0201234567, +233241234567'],
		['text with semicolons', '0201234567;+233241234567;'],
		['lines', '020 123 4567\r\n+233241234567\n\n'],
		['a list as JSON text', '["0201234567", "+233241234567"]'],
		['numbers', [201234567, 233241234567]],
		['HTML with line breaks', '<p>0201234567<br>+233&nbsp;241234567</p>'],
		['other addresses', 'whatsapp:+233201234567, p:+233241234567'],
	])('reads recipients from %s', (_, value) => {
		expect(numbers([value])).toMatchObject({
			to: ['+233201234567', '+233241234567'],
			skipped: expect.any(Array) as unknown,
		});
	});

	it('skips duplicates, excluded numbers and invalid entries, each with its reason', () => {
		const { to, skipped } = numbers(
			[['0201234567', 'Ama'], '00233201234567,0241234567', '', null],
			new Set(['+233241234567']),
		);
		expect(to).toEqual(['+233201234567']);
		expect(skipped).toEqual([
			['Ama', 'invalid_number'],
			['+233201234567', 'duplicate'],
			['+233241234567', 'excluded'],
			['', 'invalid_number'],
			['', 'invalid_number'],
		]);
	});

	it('skips lists that are nested too deep', () => {
		let nested: unknown = '0201234567';
		for (let depth = 0; depth < 100_000; depth++) nested = [nested];
		for (const value of [nested, `${'['.repeat(100_000)}"0201234567"${']'.repeat(100_000)}`]) {
			const { to, skipped } = numbers([value, '+233241234567']);
			expect(to).toEqual(['+233241234567']);
			expect(skipped).toEqual([[expect.stringMatching(/^.{1,61}$/) as string, 'invalid_number']]);
		}
	});

	it('asks for commas if one entry has several numbers', () => {
		const { skipped } = readRecipients([{ value: '0201234567 / 0241234567', source: 0 }], {});
		expect(skipped).toMatchObject([{ message: 'This has more than one phone number: put commas between them.' }]);
	});

	it('gives the origin of each recipient', () => {
		const { recipients } = numbers(['', '0201234567', ['x', '0241234567']]);
		expect(recipients).toEqual([
			{ to: '+233201234567', source: 1, position: 1 },
			{ to: '+233241234567', source: 2, position: 3 },
		]);
	});

	it('loses no recipient and gives none twice, whatever the lists', () => {
		const entry = fc.oneof(mobile, fc.string(), fc.constant(undefined), fc.integer());
		fc.assert(
			fc.property(fc.array(fc.array(entry)), fc.array(mobile), (lists, out) => {
				const given = lists.map((value, source) => ({ value, source }));
				const { recipients, skipped } = readRecipients(given, {}, new Set(out));
				const positions = [...recipients, ...skipped].map(({ position }) => position).sort((a, b) => a - b);
				expect(positions).toEqual(positions.map((_, index) => index));
				expect(new Set(recipients.map(({ to }) => to)).size).toBe(recipients.length);
				expect(recipients.filter(({ to }) => out.includes(to))).toEqual([]);
				const typed = lists.flat().filter((value) => typeof value === 'string' && value.startsWith('+23320'));
				const reported = new Set([...recipients, ...skipped].map(({ to }) => to));
				expect(typed.filter((value) => !reported.has(String(value)))).toEqual([]);
			}),
		);
	});
});

describe('readExcludedNumbers', () => {
	it('reads excluded numbers as people type them', () => {
		expect(readExcludedNumbers('0201234567\n+233 24 123 4567', {})).toEqual(
			new Set(['+233201234567', '+233241234567']),
		);
		expect(readExcludedNumbers('', {})).toEqual(new Set());
	});

	it.each([true, false, undefined])('excludes a number in an unknown range, with allowUnknownRanges %j', (allow) => {
		const options = allow === undefined ? {} : { allowUnknownRanges: allow };
		expect(readExcludedNumbers('025 123 4567', options)).toEqual(new Set(['+233251234567']));
	});

	it.each<[string, unknown]>([
		['text', '1234'],
		['a number of a spreadsheet', 1234],
		['three digits', '124'],
		['six digits', ' 140013 '],
	])('accepts a short code, and excludes the numbers beside it: %s', (_, code) => {
		const read = readExcludedNumbers([code, '0201234567'], {});
		expect(read).toEqual(new Set([String(code).trim(), '+233201234567']));
	});

	it.each<[string, unknown]>([
		['the beginning of a number', '02412'],
		['a number that lost two digits', '2441234'],
		['two digits', '12'],
		['a row number', 7],
		['a USSD code', '*123#'],
		['a short code with a country code', '+1234'],
		['a name, which may be the name of a person', 'Kofi'],
		['the name of a sender', 'MTN'],
		['an amount', '12.50'],
		['a part of a number with a space', '24 410'],
	])('rejects a list of excluded numbers with an unreadable entry: %s', (_, entry) => {
		expect(readExcludedNumbers(['0201234567', entry], {})).toEqual({
			message: expect.stringContaining(`"${String(entry)}"`) as string,
		});
	});

	it('rejects five digits in a country whose mobile numbers have six, and accepts them where they have ten', () => {
		expect(readExcludedNumbers('21123', { defaultCountry: 'FO' })).toHaveProperty('message');
		expect(readExcludedNumbers('21123', { defaultCountry: 'US' })).toEqual(new Set(['21123']));
	});

	it('ignores no number of Ghana that lost up to two digits, whatever the number', () => {
		const lost = fc.tuple(mobile, fc.constantFrom('+233', '233', '0', ''), fc.integer({ min: 1, max: 2 }));
		fc.assert(
			fc.property(lost, ([number, prefix, digits]) => {
				const typed = `${prefix}${number.slice('+233'.length)}`.slice(0, -digits);
				expect(readExcludedNumbers(typed, {})).toHaveProperty('message');
			}),
		);
	});
});

describe('readPhoneList', () => {
	it('reads each number once, in the order of the list', () => {
		expect(readPhoneList('024 123 4567, +233201234567; 0241234567', {})).toEqual(['+233241234567', '+233201234567']);
	});

	it('rejects a whole list for one unreadable number, and names that number', () => {
		expect(readPhoneList(['0201234567', 'Kofi'], {})).toEqual({
			message: expect.stringMatching(/^contains "Kofi", which /) as string,
		});
	});

	it.each(['', ' , ', null, []])('rejects %j like a single empty number', (value) => {
		expect(readPhoneList(value, {})).toEqual(readPhoneList('', {}));
		expect(readPhoneList(value, {})).toHaveProperty('message');
	});
});
