/**
 * The meaning of a message that consists of a keyword (docs/api.md#opt-out).
 * @example const found: Keyword | undefined = keyword('Stop!'); // 'stop'
 */
export type Keyword = 'stop' | 'start' | 'help';

/**
 * Options of {@link keyword}.
 * @example const options: KeywordOptions<'HOURS'> = { yesIsStart: true, own: ['HOURS'] };
 */
export interface KeywordOptions<Own extends string = never> {
	/** Whether YES (or OUI) means START. Default: false, because it is also a reply to surveys. */
	readonly yesIsStart?: boolean;
	/** Custom keywords. They take precedence over START and HELP, but never over STOP. */
	readonly own?: readonly Own[];
}

// The five keywords of CTIA, others that carriers and gateways accept, and their French for Côte d'Ivoire, Senegal and
// Togo. The API names only STOP and UNSUBSCRIBE (docs/api.md#opt-out); the rest is convention.
const vocabulary: Readonly<Record<Keyword, readonly string[]>> = {
	stop: [
		...['STOP', 'STOPALL', 'STOP ALL', 'UNSUBSCRIBE', 'UNSUB', 'CANCEL', 'END', 'QUIT', 'REVOKE'],
		...['OPTOUT', 'OPT OUT', 'REMOVE', 'REMOVE ME'],
		...['ARRET', 'ARRETER', 'ARRETEZ', 'DESABONNER', 'DESABONNEMENT', 'DESINSCRIRE', 'DESINSCRIPTION'],
	],
	start: ['START', 'UNSTOP', 'OPTIN', 'OPT IN'],
	help: ['HELP', 'INFO', 'AIDE'],
};
const meanings = ['stop', 'start', 'help'] as const;
const words = new Map(meanings.flatMap((meaning) => vocabulary[meaning].map((word) => [word, meaning] as const)));
const yes = new Set(['YES', 'OUI']);

/**
 * Recognizes an inbound message that consists of a keyword. Ignores case, accents, punctuation and emoji. "Please stop by
 * the shop" is not a keyword.
 * @returns the meaning, or one of the custom keywords as given
 * @example keyword('Stop!') // 'stop'
 */
export function keyword<Own extends string = never>(
	message: string,
	{ yesIsStart = false, own = [] }: KeywordOptions<Own> = {},
): Keyword | Own | undefined {
	const word = bare(message);
	const meaning = words.get(word) ?? (yesIsStart && yes.has(word) ? 'start' : undefined);
	if (meaning === 'stop' || word === '') return meaning;
	return own.find((given) => bare(given) === word) ?? meaning;
}

/** The documented opt-out keywords (docs/api.md#opt-out). */
const DOCUMENTED_STOPS = ['STOP', 'UNSUBSCRIBE'];

/**
 * The documented opt-out keyword of a message that writes it differently, for services that compare exactly.
 * @returns undefined for other messages, and for the keyword itself in any case
 * @example plainStop('(stop)') // 'STOP'; plainStop('stop') is undefined
 */
export function plainStop(message: string): string | undefined {
	const word = bare(message);
	return DOCUMENTED_STOPS.find((documented) => documented === word && message.trim().toUpperCase() !== documented);
}

function bare(text: string): string {
	return (
		text
			// They would be removed below anyway. A long row of them makes normalizing slower than linear.
			.replace(/\p{M}/gu, '')
			// Separates accents from letters, and makes full-width letters plain.
			.normalize('NFKD')
			.replace(/[^\p{L}\p{N}\s]/gu, '')
			.replace(/\s+/g, ' ')
			.trim()
			.toUpperCase()
	);
}
