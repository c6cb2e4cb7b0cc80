/**
 * A text that is sent, or would be.
 * @example const sent: SentText = { text: 'Hi Ama', to: '+233201234567', place: 'item 2' };
 */
export interface SentText {
	readonly text: string;
	/** The recipient; only if a repetition counts. */
	readonly to?: string;
	/** Where the text comes from, e.g. `item 2`. */
	readonly place?: string;
}

const SIGNS: Readonly<Record<TextDoubt, string>> = {
	undefined: 'the word "undefined"',
	null: 'the word "null"',
	NaN: 'the word "NaN"',
	hole: 'a gap before a comma or a full stop',
};

/**
 * Warns about texts that look as if a value was missing, and about recipients who get the same text more than once.
 * @returns a sentence for each kind of doubt; empty if there is none
 * @example textWarnings([{ text: 'Hi , we are open' }]) // ['The text has a gap before a comma or a full stop. ...']
 */
export function textWarnings(sent: readonly SentText[]): string[] {
	const places = new Map<string, string | undefined>();
	for (const { text, place } of sent) if (!places.has(text)) places.set(text, place);
	const doubtful = new Map<TextDoubt, string[]>();
	for (const text of places.keys()) {
		for (const doubt of textDoubts(text)) {
			const texts = doubtful.get(doubt) ?? [];
			texts.push(text);
			doubtful.set(doubt, texts);
		}
	}
	const doubts = [...doubtful].map(([doubt, [first = '', ...others]]) => {
		const count = others.length + 1;
		const subject = count > 1 ? `${count} texts have` : places.size > 1 ? '1 text has' : 'The text has';
		const place = places.get(first);
		const where = place === undefined ? '' : count > 1 ? `, first in ${place}` : ` (${place})`;
		return `${subject} ${SIGNS[doubt]}${where}. A value may be missing.`;
	});
	const repeated = repetition(sent);
	return repeated === undefined ? doubts : [...doubts, repeated];
}

function repetition(sent: readonly SentText[]): string | undefined {
	const counts = new Map<string, Map<string, number>>();
	for (const { text, to } of sent) {
		if (to === undefined) continue;
		const ofText = counts.get(text) ?? new Map<string, number>();
		counts.set(text, ofText.set(to, (ofText.get(to) ?? 0) + 1));
	}
	const [first, ...others] = [...counts.values()].flatMap((ofText) => [...ofText].filter(([, count]) => count > 1));
	if (!first) return undefined;
	const [to, count] = first;
	const sentence = `${count} messages with the same text go to ${to}`;
	const more = new Set(others.map(([other]) => other).filter((other) => other !== to)).size;
	if (more === 0) return `${sentence}.`;
	return `${sentence}. The same is true for ${more} other ${more === 1 ? 'recipient' : 'recipients'}.`;
}

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
