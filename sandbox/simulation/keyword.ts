const OPT_OUT = new Set(['STOP', 'UNSUBSCRIBE', 'STOPALL', 'CANCEL', 'END', 'QUIT', 'OPTOUT']);
const OPT_IN = new Set(['START', 'UNSTOP']);

/**
 * Detects an opt-out or opt-in keyword (docs/api.md#opt-out; the complete list is not documented). The message must be
 * the keyword alone, in any case.
 */
export function findKeyword(text: string): 'opt_out' | 'opt_in' | null {
	const word = text.trim().toUpperCase();
	if (OPT_OUT.has(word)) return 'opt_out';
	return OPT_IN.has(word) ? 'opt_in' : null;
}
