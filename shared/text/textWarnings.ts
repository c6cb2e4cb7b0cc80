import { textDoubts, type TextDoubt } from './textDoubts';

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
