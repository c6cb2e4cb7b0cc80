import { wordsOf } from '../contract/words';

/** Maximum length of text that is read. A type or a status is far shorter. */
const LONGEST = 300;

/** Splits `topUpFee`, `TOP_UP fee` and the like into lower-case words without numbers; "top up" becomes one word. */
export function statusWords(text: string): readonly string[] {
	const words = wordsOf(text.slice(0, LONGEST)).filter((word) => /^[a-z]/.test(word));
	return words.flatMap((word, index) => {
		if (/^ups?$/.test(word) && isTop(words[index - 1])) return [];
		return isTop(word) && /^ups?$/.test(words[index + 1] ?? '') ? ['topup'] : [word];
	});
}

function isTop(word: string | undefined): boolean {
	return word === 'top' || word === 'topped';
}
