/**
 * The meaning of a message that consists of a keyword (docs/api.md#opt-out).
 * @example const found: Keyword | undefined = keyword('Stop!'); // 'stop'
 */
export type Keyword = 'stop' | 'start' | 'help';

/** Options of {@link keyword}. */
export interface KeywordOptions<Own extends string = never> {
	/** Whether YES (or OUI) means START. Default: false, because it is also a reply to surveys. */
	readonly yesIsStart?: boolean;
	/** Custom keywords. They take precedence over START and HELP, but never over STOP. */
	readonly own?: readonly Own[];
	/** Sender IDs and numbers that may follow a STOP, as in "STOP KOFISHOP". Without them, that is no keyword. */
	readonly senders?: readonly string[];
}

/**
 * Requests to opt out that mean nothing else. A courtesy or the name of a sender may follow them. The five keywords of
 * CTIA, words that carriers and gateways publish (EXIT is usual in Ghana), and the same in French and Spanish.
 */
const optOuts = [
	...['STOP', 'STOPP', 'ST0P', 'STOPALL', 'STOP ALL', 'STOP NOW', 'TEXT STOP', 'REPLY STOP', 'EXIT', 'QUIT'],
	...['STOP SMS', 'STOP PUB', 'STOP TXT', 'STOP TEXT', 'STOP TEXTS', 'STOP TEXTING', 'STOP TEXTING ME'],
	...['STOP MSG', 'STOP MSGS', 'STOP MESSAGE', 'STOP MESSAGES', 'STOP MESSAGING ME'],
	...['STOP SENDING', 'STOP SENDING MESSAGES', 'STOP SENDING ME MESSAGES'],
	...['UNSUBSCRIBE', 'UNSUBSCRIBE ME', 'UNSUB', 'OPTOUT', 'OPT OUT', 'OPT ME OUT', 'REMOVE ME', 'REMOVE MY NUMBER'],
	...['ARRET', 'ARRET SMS', 'ARRETE', 'ARRETER', 'ARRETEZ'],
	...['DESABONNER', 'DESABONNEMENT', 'ME DESABONNER', 'SE DESABONNER'],
	...['JE ME DESABONNE', 'DESABONNE MOI', 'DESABONNEZ MOI'],
	...['DESINSCRIRE', 'DESINSCRIPTION', 'ME DESINSCRIRE', 'SE DESINSCRIRE'],
	...['DESINSCRIVEZ MOI', 'BAJA', 'DAR DE BAJA', 'DARME DE BAJA', 'DAME DE BAJA', 'DESUSCRIBIR'],
	...['DESUSCRIBIRME', 'DESUSCRIBIRSE', 'NO MAS SMS', 'NO MAS MENSAJES', 'CANCELAR SUSCRIPCION'],
];

/** Keywords of which nothing may follow. CANCELAR and ANNULER are missing, because they also answer a reminder. */
const vocabulary: Readonly<Record<Keyword, readonly string[]>> = {
	// A carrier in the United States has to accept the first three. "End" or "remove" with another word is no opt-out.
	stop: ['CANCEL', 'END', 'REVOKE', 'REMOVE', 'ALTO', 'PARAR', 'PARE', 'DETENER', 'SALIR'],
	start: ['START', 'UNSTOP', 'OPTIN', 'OPT IN'],
	help: ['HELP', 'INFO', 'AIDE'],
};
const meanings = ['stop', 'start', 'help'] as const;
const words = new Map(meanings.flatMap((meaning) => vocabulary[meaning].map((word) => [word, meaning] as const)));
const optOutWords = new Set(optOuts);
const yes = new Set(['YES', 'OUI']);

/** Courtesies before and after an opt-out. */
const courtesies = [
	...['PLEASE', 'PLS', 'PLZ', 'KINDLY', 'THANKS', 'THANK YOU', 'THX', 'OK', 'HI', 'HELLO'],
	...['SVP', 'S V P', 'STP', 'S T P', 'S IL VOUS PLAIT', 'S IL TE PLAIT', 'MERCI', 'POR FAVOR', 'GRACIAS'],
];

/** Longer messages say more than a keyword. In characters, after {@link apart}. */
const LONGEST_OPT_OUT = 60;

/** Shortest sender ID that may follow a STOP without a space. "STOPPING" is a word, not a sender "PING". */
const SHORTEST_JOINED = 5;

/**
 * Recognizes an inbound message that consists of a keyword. Ignores case, accents, punctuation and emoji. An opt-out may
 * have a courtesy ("STOP PLS") or the name of a sender ("STOP KOFISHOP"). "Please stop by the shop" is not a keyword.
 * @returns the meaning, or one of the custom keywords as given
 * @example keyword('Stop!') // 'stop'
 */
export function keyword<Own extends string = never>(
	message: string,
	{ yesIsStart = false, own = [], senders = [] }: KeywordOptions<Own> = {},
): Keyword | Own | undefined {
	const word = bare(message);
	if (optOutWords.has(word) || asksToOptOut(apart(message), senders)) return 'stop';
	const meaning = words.get(word) ?? (yesIsStart && yes.has(word) ? 'start' : undefined);
	if (meaning === 'stop' || word === '') return meaning;
	return own.find((given) => bare(given) === word) ?? meaning;
}

/** The documented opt-out keywords (docs/api.md#opt-out). */
const DOCUMENTED_STOPS = ['STOP', 'UNSUBSCRIBE'];

/**
 * The documented opt-out keyword for a message that opts out in other words or another spelling. It is unknown which of
 * them the service recognizes.
 * @param inbound the message, and the keyword that was found in it
 * @returns undefined for other messages, and for a documented keyword in any case
 * @example plainStop({ message: 'EXIT', keyword: 'stop' }) // 'STOP'
 */
export function plainStop({
	message,
	keyword: found,
}: {
	readonly message: string;
	readonly keyword: string | null;
}): 'STOP' | undefined {
	return found !== 'stop' || DOCUMENTED_STOPS.includes(message.trim().toUpperCase()) ? undefined : 'STOP';
}

/** @param text from {@link apart} */
function asksToOptOut(text: string, senders: readonly string[]): boolean {
	if (text === '' || text.length > LONGEST_OPT_OUT) return false;
	const request = withoutCourtesies(text);
	if (optOutWords.has(request)) return true;
	const [first = ''] = request.split(' ');
	if (optOutWords.has(first) && request.split(' ').every((other) => other === first)) return true;
	return senders.some((sender) => {
		const name = bare(sender).replaceAll(' ', '');
		if (name === '') return false;
		return optOuts.some((optOut) => {
			if (name.length >= SHORTEST_JOINED && request === optOut + name) return true;
			if (!request.startsWith(`${optOut} `)) return false;
			const rest = request.slice(optOut.length + 1);
			return [rest, rest.replace(/^(FROM|TO) /, '')].some((given) => given.replaceAll(' ', '') === name);
		});
	});
}

function withoutCourtesies(text: string): string {
	const courtesy = courtesies.find((one) => text.startsWith(`${one} `));
	if (courtesy !== undefined) return withoutCourtesies(text.slice(courtesy.length + 1));
	const last = courtesies.find((one) => text.endsWith(` ${one}`));
	return last === undefined ? text : withoutCourtesies(text.slice(0, -last.length - 1));
}

/** The text in capitals, with nothing in the place of punctuation: "S.T.O.P." is STOP. */
function bare(text: string): string {
	return inCapitals(
		text
			.replace(/\p{M}/gu, '')
			.normalize('NFKD')
			.replace(/[^\p{L}\p{N}\s]/gu, ''),
	);
}

/** The text in capitals, with a space in the place of punctuation: "STOP:KOFISHOP" is STOP KOFISHOP. */
function apart(text: string): string {
	const plain = text
		.replace(/[\p{M}\p{Cf}]/gu, '')
		.normalize('NFKD')
		.replace(/\p{M}/gu, '');
	return inCapitals(plain.replace(/[^\p{L}\p{N}]/gu, ' '));
}

function inCapitals(letters: string): string {
	const capitals = letters.replace(/\s+/g, ' ').trim().toUpperCase();
	return capitals.replace(/[\u0370-\u04ff]/g, (letter) => LOOK_ALIKES.get(letter) ?? letter);
}

/** Greek and Cyrillic capitals that look like Latin ones. A phone with two keyboards, or a copied text, mixes them. */
const LOOK_ALIKES: ReadonlyMap<string, string> = new Map(
	[
		['ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ', 'ABEZHIKMNOPTYX'],
		['АВЕЅІЈКМНОРСТУХ', 'ABESIJKMHOPCTYX'],
	].flatMap(([letters = '', latin = '']) =>
		Array.from(letters, (letter, index) => [letter, latin[index] ?? letter] as const),
	),
);
