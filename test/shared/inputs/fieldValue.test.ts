import { asText, readNumber } from '../../../shared';

it.each<[unknown, string]>([
	[' Hi\n', ' Hi\n'],
	[42, '42'],
	[0, '0'],
	[false, 'false'],
	[undefined, ''],
	[null, ''],
	[['Hi'], ''],
	[{ text: 'Hi' }, ''],
])('reads %j as the text %j', (value, text) => {
	expect(asText(value)).toBe(text);
});

it.each<[unknown, number]>([
	[12.5, 12.5],
	[1e21, 1e21],
	['12.50', 12.5],
	[' 7 ', 7],
	['+3', 3],
	['-0.5', -0.5],
	['.5', 0.5],
	['5.', 5],
	['0', 0],
])('reads %j as the number %d', (value, number) => {
	expect(readNumber(value)).toBe(number);
});

it.each<[unknown]>([
	[''],
	[' '],
	['.'],
	['fifty'],
	['0x10'],
	['1e3'],
	['1,000'],
	['0,05'],
	['GHS 5'],
	['1 2'],
	['9'.repeat(16)],
	['Infinity'],
	[Number.NaN],
	[Number.POSITIVE_INFINITY],
	[true],
	[null],
	[undefined],
	[['5']],
	[{}],
])('reads no number in %p', (value) => {
	expect(readNumber(value)).toBeUndefined();
});
