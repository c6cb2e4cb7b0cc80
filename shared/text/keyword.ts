/** What a text asks for when it is nothing but a keyword. */
export type Keyword = 'stop' | 'start' | 'help';

/** Options of {@link keyword}. */
export interface KeywordOptions<Own extends string = never> {
	/** Whether YES (or OUI) starts messages again; off, because it answers surveys too. */
	readonly yesIsStart?: boolean;
	/** Further keywords; they come before START and HELP, but never before STOP. */
	readonly own?: readonly Own[];
}

// CTIA's five, the others that carriers and gateways take, and their French for Côte d'Ivoire, Senegal and Togo. The
// service names only STOP and UNSUBSCRIBE (docs/api.md#opt-out): the rest is convention.
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
 * Recognises an inbound text that is a keyword and nothing else; case, accents, punctuation and emoji aside.
 * "Please stop by the shop" is a message, not a keyword.
 * @returns the meaning, or one of the own keywords as it was given
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

/** The opt-out words that the interface names (docs/api.md#opt-out). */
const PUBLISHED_STOPS = ['STOP', 'UNSUBSCRIBE'];

/**
 * The published opt-out word that a text is, where it is written in another way than the word itself: `STOP` for
 * "Stop." and for "(stop)", nothing for "stop", which any list of words knows.
 */
export function plainStop(message: string): string | undefined {
	const word = bare(message);
	return PUBLISHED_STOPS.find((published) => published === word && message.trim().toUpperCase() !== published);
}

function bare(text: string): string {
	return (
		text
			// They would be dropped below. A long row of them is what makes normalizing more than linear.
			.replace(/\p{M}/gu, '')
			// Takes accents off their letters, and full-width letters to plain ones.
			.normalize('NFKD')
			.replace(/[^\p{L}\p{N}\s]/gu, '')
			.replace(/\s+/g, ' ')
			.trim()
			.toUpperCase()
	);
}
