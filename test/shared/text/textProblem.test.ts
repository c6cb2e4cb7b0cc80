import { textProblem } from '../../../shared';

describe('problems of a text', () => {
	it.each([
		['Hi [object Object]', 'contains [object Object]: choose one field of the object or list there'],
		['[object Object]', 'is an object, not a text: choose one of its fields'],
		['[object Array]', 'is a list, not a text: choose one of its entries'],
		['On Invalid DateTime at 8', 'contains Invalid DateTime: check the date there'],
		['Invalid Date', 'contains Invalid Date: check the date there'],
		[' NaN ', 'is only NaN, so its value is missing or wrong: check where it comes from'],
		['#N/A', 'is #N/A, an error of a spreadsheet: correct that cell'],
		[
			'Hi {{ $json.name }}',
			'contains {{ $json.name }}, which was not filled in: insert the value again, in n8n as an expression',
		],
	])('finds that "%s" %s', (text, message) => {
		expect(textProblem(text)).toBe(message);
	});

	it.each(['true', 'false', 'undefined', 'null', 'Infinity', '-Infinity', 'TRUE'])('rejects only "%s"', (text) => {
		expect(textProblem(text)).toBeDefined();
	});

	it.each([
		'',
		'It is true',
		'This contract is null and void',
		'Write { or } or {} or {name}',
		'}} {{ and {{',
		'The object of the game',
		'An invalid date was given',
		'#1 in town',
		'5678',
	])('has none with "%s"', (text) => {
		expect(textProblem(text)).toBeUndefined();
	});

	it('shows only the beginning of a long placeholder', () => {
		expect(textProblem(`{{ ${'x'.repeat(100)} }}`)).toMatch(/^contains \{\{ x{37}…,/);
	});

	it('reads a long text of braces in linear time', () => {
		expect(textProblem('{'.repeat(1_000_000))).toBeUndefined();
	});
});
