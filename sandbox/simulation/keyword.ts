const OPT_OUT = new Set(['STOP', 'UNSUBSCRIBE', 'STOPALL', 'CANCEL', 'END', 'QUIT', 'OPTOUT']);
const OPT_IN = new Set(['START', 'UNSTOP']);

/**
 * Tells whether a text is a wish to get no more texts, or to get them again (docs/api.md#opt-out; the complete list
 * of keywords is not shown there). Only a text that is nothing but the keyword counts, in any case of letters.
 */
export function findKeyword(text: string): 'opt_out' | 'opt_in' | null {
	const word = text.trim().toUpperCase();
	if (OPT_OUT.has(word)) return 'opt_out';
	return OPT_IN.has(word) ? 'opt_in' : null;
}
