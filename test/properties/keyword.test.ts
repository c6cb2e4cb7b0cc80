import { keyword } from '../../shared/text/keyword';
import { fc, runCount } from '../support/random';

const optOut = fc.constantFrom(
	...['STOP', 'EXIT', 'QUIT', 'UNSUBSCRIBE', 'OPT OUT', 'STOP ALL', 'ARRET', 'DESABONNER', 'DESINSCRIRE', 'BAJA'],
);
const alone = fc.constantFrom('CANCEL', 'END', 'REMOVE', 'ALTO');
const courtesy = fc.constantFrom('PLS', 'please', 'Plz', 'SVP', 'thanks', 'por favor', 's’il vous plaît');
/** Characters around a word that phones add, or that people type without meaning. */
const noise = fc
	.array(fc.constantFrom(...Array.from(' .!,"“”«»()…\n\t\u00a0\u200b\u200e🙏😡'), '❤️', '👍🏽', '👩‍👩‍👧', '--', '🛑'), {
		maxLength: 6,
	})
	.map((list) => list.join(''));

const fullWidth = (letter: string) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0);
const bold = (letter: string) => String.fromCodePoint(letter.charCodeAt(0) - 65 + 0x1d400);
const twins: Readonly<Record<string, string>> = {
	A: 'А',
	B: 'В',
	E: 'Ε',
	I: 'İ',
	O: 'О',
	P: 'Ρ',
	S: 'Ѕ',
	T: 'Т',
	X: 'Х',
};
/** Ways in which a phone writes the same letter. */
const spellings: ReadonlyArray<(letter: string) => string> = [
	(letter) => letter,
	(letter) => letter.toLowerCase(),
	(letter) => (/[AEIOU]/.test(letter) ? `${letter}\u0302` : letter),
	(letter) => (/[AEIOU]/.test(letter) ? `${letter.toLowerCase()}\u0301`.normalize('NFC') : letter),
	(letter) => (/[A-Z]/.test(letter) ? fullWidth(letter) : letter),
	(letter) => (/[A-Z]/.test(letter) ? bold(letter) : letter),
	(letter) => twins[letter] ?? letter,
	(letter) => `${letter}\u200d`,
	(letter) => `${letter}\u00ad`,
];
const spelled = (word: fc.Arbitrary<string>) =>
	fc
		.tuple(word, fc.array(fc.nat({ max: spellings.length - 1 }), { minLength: 1, maxLength: 12 }))
		.map(([text, ways]) =>
			Array.from(text, (letter, index) =>
				letter === ' ' ? ' ' : spellings[ways[index % ways.length] ?? 0]?.(letter),
			).join(''),
		);

const sender = fc.stringMatching(/^[A-Z][A-Z0-9]{2,10}$/);
/** Words of ordinary messages. None is an opt-out, a courtesy or a keyword. */
const ordinary = fc.constantFrom(
	...[
		'by',
		'at',
		'the',
		'shop',
		'my',
		'order',
		'delivery',
		'bus',
		'when',
		'you',
		'I',
		'will',
		'not',
		'rain',
		'at',
		'5',
		'tomorrow',
	],
);
const runs = { numRuns: runCount(1000) };

describe('keyword', () => {
	it('recognizes an opt-out in each spelling that a phone writes', () => {
		fc.assert(
			fc.property(spelled(fc.oneof(optOut, alone)), noise, noise, (word, before, after) => {
				expect(keyword(before + word + after)).toBe('stop');
			}),
			runs,
		);
	});

	it('recognizes an opt-out with courtesies and the name of a sender', () => {
		fc.assert(
			fc.property(spelled(optOut), fc.option(sender), fc.option(courtesy), fc.option(courtesy), noise, (...parts) => {
				const [word, name, first, last, end] = parts;
				const message = [first, word, name, last].filter((part) => part !== null).join(' ') + end;
				expect(keyword(message, { senders: ['KOFISHOP', ...(name === null ? [] : [name.toLowerCase()])] })).toBe(
					'stop',
				);
			}),
			runs,
		);
	});

	it('recognizes no opt-out in a sentence with such a word', () => {
		const words = fc.array(ordinary, { maxLength: 5 });
		fc.assert(
			fc.property(words, fc.oneof(optOut, alone), words, noise, (before, word, after, end) => {
				fc.pre(before.length + after.length > 0);
				const message = [...before, word.toLowerCase(), ...after].join(' ') + end;
				expect(keyword(message, { senders: ['KOFISHOP', '1234'] })).toBeUndefined();
			}),
			runs,
		);
	});

	it('recognizes no opt-out with the name of another sender', () => {
		fc.assert(
			fc.property(optOut, sender, sender, (word, name, other) => {
				fc.pre(name !== other && !/^(STOP|ALL|NOW|SMS|PUB|OK|HI|PLS|PLZ|THX|SVP|STP|MERCI|EXIT|QUIT)/.test(name));
				expect(keyword(`${word} ${name}`, { senders: [other] })).toBeUndefined();
			}),
			runs,
		);
	});

	it('gives a custom keyword never for an opt-out, and always for its own word', () => {
		const own = fc.stringMatching(/^[A-Z]{4,12}$/);
		fc.assert(
			fc.property(own, optOut, (word, stop) => {
				fc.pre(keyword(word) !== 'stop');
				expect(keyword(word.toLowerCase(), { own: [word] })).toBe(word);
				expect(keyword(stop, { own: [stop, word] })).toBe('stop');
			}),
			runs,
		);
	});
});
