import { readTextList } from '../../../shared/inputs/textList';

describe('a field as a list of texts', () => {
	it.each<[unknown, string[]]>([
		[undefined, []],
		[null, []],
		[' ', []],
		['a, b;c\nd', ['a', 'b', 'c', 'd']],
		[
			['a', ' b ', 'c, d'],
			['a', 'b', 'c', 'd'],
		],
		['["a", ["b"]]', ['a', 'b']],
		['[a', ['[a']],
		[2026, ['2026']],
		[{ date: 'a' }, ['?']],
		[
			['a', {}],
			['a', '?'],
		],
	])('%j gives %j', (value, entries) => {
		expect(readTextList(value)).toEqual(entries);
	});

	it('a list that is nested too deeply is not read', () => {
		let value: unknown = 'a';
		for (let depth = 0; depth < 100_000; depth++) value = [value];
		expect(readTextList(value)).toEqual(['?']);
	});
});
