import { textDoubts, type TextDoubt } from '../../../shared/text/textWarnings';

describe('doubts about a text', () => {
	it.each<[string, readonly TextDoubt[]]>([
		['Hi undefined, your order is ready', ['undefined']],
		['Track it at https://shop.example/orders/undefined', ['undefined']],
		['Order order-undefined is ready', ['undefined']],
		['Hi null', ['null']],
		['You owe GHS NaN.', ['NaN']],
		['Hi ,', ['hole']],
		['Dear  , your code is 1234', ['hole']],
		['Bonjour\u00a0, votre commande', ['hole']],
		[', your order is ready', ['hole']],
		['Your total is .', ['hole']],
		['Your total is . Thank you', ['hole']],
		['Hi , undefined and null make NaN', ['undefined', 'null', 'NaN', 'hole']],
	])('finds the signs of a missing value in "%s"', (text, doubts) => {
		expect(textDoubts(text)).toEqual(doubts);
	});

	it.each([
		'Hi Ama, your order is ready.',
		'This contract is null and void.',
		'Nullify the undefinedness of Nana, nan.',
		'Bonjour Ama ! Vous venez ? Voici : oui ; non.',
		'Wait ... more',
		'Wait . . . more',
		'Choose 5 , 6 or 7',
		'Ama\n, your order',
		'See shop .example',
		'',
	])('has none about "%s"', (text) => {
		expect(textDoubts(text)).toEqual([]);
	});

	it('reads a long text of spaces and marks in linear time', () => {
		expect(textDoubts(`a${' '.repeat(200_000)}b${'\u0301'.repeat(200_000)}`)).toEqual([]);
	});
});
