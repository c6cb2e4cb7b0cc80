/** A sign that a value of a template was missing. `hole`: a space before a comma or a full stop, as in "Hi ,". */
export type TextDoubt = 'undefined' | 'null' | 'NaN' | 'hole';

/** Signs of a missing value. Spaces are without line breaks, and only after a letter: "5 , 6" has no hole. */
const signs: ReadonlyArray<readonly [TextDoubt, RegExp]> = [
	['undefined', word('undefined')],
	// "Null and void" is a phrase of contracts.
	['null', word('null', '(?!\\s+and\\s+void)')],
	['NaN', word('NaN')],
	// Other signs, such as " !" and " :", are usual in French. The dots of " ..." are no end of a sentence.
	['hole', /^\s*,|\p{L}\p{M}*[^\S\r\n]+(?:,|\.(?![^\S\r\n]*\.)(?![\p{L}\p{N}]))/u],
];

function word(name: string, unless = ''): RegExp {
	return new RegExp(`(?<![\\p{L}\\p{N}_])${name}(?![\\p{L}\\p{N}_])${unless}`, 'u');
}

/**
 * Finds the signs that a value was missing when a template became a text. They also occur in texts that are as their
 * writer wants them, such as "null" in German, so they are a reason to warn and none to reject.
 * @returns each kind once, in the order of {@link TextDoubt}; empty for a text without doubts
 */
export function textDoubts(text: string): readonly TextDoubt[] {
	return signs.flatMap(([doubt, sign]) => (sign.test(text) ? [doubt] : []));
}
