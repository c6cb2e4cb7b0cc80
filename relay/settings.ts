import { isIP } from 'node:net';
import { parseArgs } from 'node:util';
import { z } from 'zod/v4';
import { inboundWebhookUrl, isIpRange } from '../shared/index';
import { RETRY, WAITS, type Retry, type Waits } from './waits';

/** What this process does: receive requests, deliver events, or both. */
export type Role = 'web' | 'worker' | 'all';

/** What the relay itself forwards: inbound SMS, WhatsApp messages, and events to the previous callback URL. */
export type OwnForward = 'sms' | 'whatsapp' | 'callback';

/** The settings of a relay. */
export interface Settings {
	/** `postgres://...`, or the path of the folder of the embedded database. */
	readonly database: string;
	/** A folder for the encryption key, and for the embedded database. */
	readonly folder: string;
	readonly role: Role;
	/** TCP port, 0 for a free one. */
	readonly port: number;
	/** Address to listen on. */
	readonly host: string;
	/** The address that the service and Zapier reach, without a slash at the end. Empty: this machine's address. */
	readonly publicUrl: string;
	/** Private addresses, CIDR ranges and host names that subscriptions may use. */
	readonly allow: readonly string[];
	/** Encrypts secrets. Empty: a key file in the folder. */
	readonly key: string;
	/** The first admin token. Empty: a random one. */
	readonly token: string;
	/** The first secret in the ingest URL. Empty: a random one. */
	readonly ingestSecret: string;
	/** The service's base URL, for calls and for inbound messages. Empty: no calls are forwarded. */
	readonly serviceUrl: string;
	/** Sender IDs of the account. A STOP with one of them opts out: "STOP KOFISHOP" to a shared short code. */
	readonly senderIds: readonly string[];
	/** Also forward inbound WhatsApp messages to the service. */
	readonly forwardWhatsapp: boolean;
	/** The callback URL that was in the service's dashboard before, which gets receipts and alerts unchanged. */
	readonly callbackUrl: string;
	/** Forwards that are turned off. One whose variable is merely absent continues as before. */
	readonly offForwards: readonly OwnForward[];
	/** How long events are kept, in days. */
	readonly retentionDays: number;
	/** How long inbound messages without an ID are deduplicated, in seconds. */
	readonly deduplicationSeconds: number;
	/** How long a call to the service may take, waits included, in seconds. */
	readonly serviceTimeoutSeconds: number;
	/** Most requests to the service in a second, of all processes. 0: no limit. */
	readonly serviceRate: number;
	/** How long settled sends are kept, in days. */
	readonly sendsDays: number;
	readonly retry: Retry;
	readonly waits: Waits;
}

/** A setting is wrong. The message names it and says what to enter. */
export class SettingsError extends Error {
	override readonly name = 'SettingsError';
}

/** What `--help` prints. */
export const HELP = `Receives the events of Messaging Service, and delivers them to every workflow and Zap.

Usage: relay [options]
       relay token create --name NAME --kind n8n|zapier|script|admin
       relay token list
       relay token revoke ID
       relay move --folder PATH --database URL

move moves an embedded database to PostgreSQL.

Option, or environment variable
  --port NUMBER       RELAY_PORT      TCP port, 0 for a free one. Default: 4400
  --host ADDRESS      RELAY_HOST      Address to listen on. Default: 127.0.0.1
  --folder PATH       RELAY_FOLDER    Encryption key and embedded database. Default: relay-data
  --database URL      DATABASE_URL    postgres://... instead of the embedded database
  --role ROLE         RELAY_ROLE      web receives, worker delivers, all does both. Default: all
  --help                              Prints this text

Environment variable
  RELAY_PUBLIC_URL            The address that the service and Zapier reach
  RELAY_ALLOW                 Private addresses, ranges and host names for subscriptions, such as 10.0.0.0/8,n8n
  RELAY_KEY                   Encrypts secrets. Default: a key file in the folder
  RELAY_TOKEN                 The first admin token. Default: a random one
  RELAY_INGEST_SECRET         The secret in the ingest URL. Default: a random one
  RELAY_SERVICE_URL           Base URL of the service, for calls and for inbound messages. off ends forwarding
  RELAY_SERVICE_TIMEOUT_SECONDS  How long a call to the service may take, waits included. Default: 60
  RELAY_SERVICE_RATE          Most requests to the service in a second. Default: no limit
  RELAY_SENDS_DAYS            How long idempotency keys of accepted messages are kept. Default: 30
  RELAY_SENDER_IDS            Your sender IDs, such as KOFISHOP,1234.
                              Without them, "STOP KOFISHOP" to a short code is no opt-out
  RELAY_FORWARD_WHATSAPP      true also forwards inbound WhatsApp messages, unchanged. false ends it
  RELAY_CALLBACK_URL          The previous callback URL, which gets receipts and alerts unchanged. off ends it
  RELAY_RETENTION_DAYS        How long events are kept. Default: 30
  RELAY_DEDUPLICATION_SECONDS How long messages without an ID are deduplicated. Default: 60
  RELAY_RETRY_SCHEDULE        Seconds after each failed delivery until the next attempt, such as 5,30,120,
                              and at most three days in all. Default: 12 retries in three days
  RELAY_PROBES                Seconds until each probe of a receiver that keeps failing. The last one repeats.
                              Default: ${RETRY.probes.join()}
`;

const httpUrl = (example: string) =>
	z.string().refine((text) => text === '' || isPlainHttpUrl(text), `must be an http or https URL, such as ${example}`);

/** An address that paths are added to. */
const baseUrl = (example: string) =>
	httpUrl(example)
		.refine((text) => !/[?#]/.test(text), `must end before ? and #, such as ${example}`)
		.transform((text) => text.replace(/\/+$/, ''));

const wholeNumber = (least: number, most: number) => {
	const message = `must be a whole number from ${least} to ${most}`;
	return z.string().regex(/^\d+$/, message).transform(Number).pipe(z.number().min(least, message).max(most, message));
};

const commaList = (text: string) =>
	text
		.split(',')
		.map((entry) => entry.trim())
		.filter((entry) => entry !== '');

const SECONDS = 'must be 1 to 50 numbers of seconds, each from 0.1 to 86400, such as 5,30,120';

const secondsList = z
	.string()
	.transform(commaList)
	.pipe(
		z.array(z.coerce.number<string>(SECONDS).min(0.1, SECONDS).max(86_400, SECONDS)).min(1, SECONDS).max(50, SECONDS),
	);

/** The n8n trigger forgets events after four days. A later attempt would start a workflow twice. */
const MOST_SECONDS = 259_200;

const retrySchedule = secondsList.refine((seconds) => seconds.reduce((sum, one) => sum + one, 0) <= MOST_SECONDS, {
	error: `must be at most ${MOST_SECONDS} seconds (three days) in all, because n8n remembers an event for four days`,
});

const allowList = z.string().transform((text, context) => {
	const entries = commaList(text);
	const wrong = entries.findIndex((entry) => !isIpRange(entry) && !isHostName(entry));
	if (wrong >= 0) {
		const message = `has a wrong entry ${wrong + 1}. Enter addresses, ranges and host names, such as 10.0.0.5,10.1.0.0/16,n8n`;
		context.addIssue({ code: 'custom', message });
	}
	return entries;
});

const senderIdList = z.string().transform((text, context) => {
	const entries = commaList(text);
	const wrong = entries.findIndex((entry) => !/^[^\p{C}]*[\p{L}\p{N}][^\p{C}]*$/u.test(entry));
	if (wrong >= 0) {
		const message = `has a wrong entry ${wrong + 1}. Enter names, short codes and numbers, such as KOFISHOP,1234`;
		context.addIssue({ code: 'custom', message });
	}
	return entries;
});

const values = z.object({
	port: wholeNumber(0, 65_535),
	host: z.string().min(1, 'is empty. Enter an address, such as 127.0.0.1'),
	folder: z.string().min(1, 'is empty. Enter the path of a folder'),
	database: z
		.string()
		.refine(
			(text) => text === '' || isPostgresUrl(text),
			'must be a URL, such as postgres://user:password@host:5432/name',
		),
	role: z.enum(['web', 'worker', 'all'], 'must be web, worker or all'),
	RELAY_PUBLIC_URL: baseUrl('https://relay.example.com'),
	RELAY_ALLOW: allowList,
	RELAY_KEY: z.string().refine((text) => text === '' || text.length >= 32, 'must have 32 characters or more'),
	RELAY_TOKEN: z
		.string()
		.refine((text) => text === '' || /^[!-~]{24,}$/.test(text), 'must have 24 or more letters, digits or signs'),
	RELAY_INGEST_SECRET: z
		.string()
		.refine((text) => text === '' || /^[\w-]{24,}$/.test(text), 'must have 24 or more letters, digits, - or _'),
	RELAY_SERVICE_URL: baseUrl('https://service.example.com').refine(
		(text) => text === '' || inboundWebhookUrl(text, '') !== undefined,
		'must use https, because http is only possible on this machine',
	),
	RELAY_SENDER_IDS: senderIdList,
	RELAY_FORWARD_WHATSAPP: z.enum(['', 'true', 'false'], 'must be true or false').transform((text) => text === 'true'),
	RELAY_CALLBACK_URL: httpUrl('https://example.com/callback'),
	RELAY_RETENTION_DAYS: wholeNumber(1, 3650),
	RELAY_DEDUPLICATION_SECONDS: wholeNumber(0, 86_400),
	RELAY_SERVICE_TIMEOUT_SECONDS: wholeNumber(1, 600),
	RELAY_SERVICE_RATE: wholeNumber(0, 1000),
	RELAY_SENDS_DAYS: wholeNumber(1, 3650),
	RELAY_RETRY_SCHEDULE: retrySchedule,
	RELAY_PROBES: secondsList,
});

/** Ends a forward, instead of its address. */
const OFF = 'off';

/** Options of the command line, and the environment variable of each. */
const VARIABLES = {
	port: 'RELAY_PORT',
	host: 'RELAY_HOST',
	folder: 'RELAY_FOLDER',
	database: 'DATABASE_URL',
	role: 'RELAY_ROLE',
} as const;

type Option = keyof typeof VARIABLES;

/**
 * Reads the settings from the command line and the environment. The command line wins. An empty variable counts as absent.
 * @param args the arguments without the program's name
 * @throws SettingsError that names the wrong setting, and never quotes its value
 */
export function readSettings(args: readonly string[], env: Readonly<Record<string, string | undefined>>): Settings {
	const options = parse(args);
	const variable = (name: string) => env[name] ?? '';
	const isOff = (name: string) => variable(name) === OFF;
	const address = (name: string) => (isOff(name) ? '' : variable(name));
	const option = (name: Option, standard: string) => options[name] ?? (variable(VARIABLES[name]) || standard);
	const read = values.safeParse({
		port: option('port', '4400'),
		host: option('host', '127.0.0.1'),
		folder: option('folder', 'relay-data'),
		database: option('database', ''),
		role: option('role', 'all'),
		RELAY_PUBLIC_URL: variable('RELAY_PUBLIC_URL'),
		RELAY_ALLOW: variable('RELAY_ALLOW'),
		RELAY_KEY: variable('RELAY_KEY'),
		RELAY_TOKEN: variable('RELAY_TOKEN'),
		RELAY_INGEST_SECRET: variable('RELAY_INGEST_SECRET'),
		RELAY_SERVICE_URL: address('RELAY_SERVICE_URL'),
		RELAY_SENDER_IDS: variable('RELAY_SENDER_IDS'),
		RELAY_FORWARD_WHATSAPP: variable('RELAY_FORWARD_WHATSAPP'),
		RELAY_CALLBACK_URL: address('RELAY_CALLBACK_URL'),
		RELAY_RETENTION_DAYS: variable('RELAY_RETENTION_DAYS') || '30',
		RELAY_DEDUPLICATION_SECONDS: variable('RELAY_DEDUPLICATION_SECONDS') || '60',
		RELAY_SERVICE_TIMEOUT_SECONDS: variable('RELAY_SERVICE_TIMEOUT_SECONDS') || '60',
		RELAY_SERVICE_RATE: variable('RELAY_SERVICE_RATE') || '0',
		RELAY_SENDS_DAYS: variable('RELAY_SENDS_DAYS') || '30',
		RELAY_RETRY_SCHEDULE: variable('RELAY_RETRY_SCHEDULE') || RETRY.schedule.join(),
		RELAY_PROBES: variable('RELAY_PROBES') || RETRY.probes.join(),
	});
	if (!read.success) {
		const [issue] = read.error.issues;
		const key = String(issue?.path[0]);
		const name = !isOption(key) ? key : options[key] === undefined ? VARIABLES[key] : `--${key}`;
		throw new SettingsError(`${name} ${issue?.message ?? 'is wrong'}. ${SEE_HELP}`);
	}
	const found = read.data;
	return {
		database: found.database === '' ? found.folder : found.database,
		folder: found.folder,
		role: found.role,
		port: found.port,
		host: found.host,
		publicUrl: found.RELAY_PUBLIC_URL,
		allow: found.RELAY_ALLOW,
		key: found.RELAY_KEY,
		token: found.RELAY_TOKEN,
		ingestSecret: found.RELAY_INGEST_SECRET,
		serviceUrl: found.RELAY_SERVICE_URL,
		senderIds: found.RELAY_SENDER_IDS,
		forwardWhatsapp: found.RELAY_FORWARD_WHATSAPP,
		callbackUrl: found.RELAY_CALLBACK_URL,
		offForwards: [
			...(isOff('RELAY_SERVICE_URL') ? (['sms'] as const) : []),
			...(isOff('RELAY_SERVICE_URL') || variable('RELAY_FORWARD_WHATSAPP') === 'false' ? (['whatsapp'] as const) : []),
			...(isOff('RELAY_CALLBACK_URL') ? (['callback'] as const) : []),
		],
		retentionDays: found.RELAY_RETENTION_DAYS,
		deduplicationSeconds: found.RELAY_DEDUPLICATION_SECONDS,
		serviceTimeoutSeconds: found.RELAY_SERVICE_TIMEOUT_SECONDS,
		serviceRate: found.RELAY_SERVICE_RATE,
		sendsDays: found.RELAY_SENDS_DAYS,
		retry: { ...RETRY, schedule: found.RELAY_RETRY_SCHEDULE, probes: found.RELAY_PROBES },
		waits: WAITS,
	};
}

const SEE_HELP = 'See relay --help.';

/** Messages of the parser quote the arguments, which may have a password. */
function parse(args: readonly string[]): Partial<Record<Option, string>> {
	const type = 'string';
	const options = { port: { type }, host: { type }, folder: { type }, database: { type }, role: { type } } as const;
	const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
	const found: Partial<Record<Option, string>> = {};
	for (const token of tokens) {
		if (token.kind === 'positional') {
			throw new SettingsError(`The command line has an argument without an option, such as --database. ${SEE_HELP}`);
		}
		if (token.kind !== 'option') continue;
		if (!isOption(token.name)) throw new SettingsError(`${token.rawName} is not an option. ${SEE_HELP}`);
		if (token.value === undefined || (!token.inlineValue && token.value.startsWith('-'))) {
			throw new SettingsError(`${token.rawName} has no value. ${SEE_HELP}`);
		}
		found[token.name] = token.value;
	}
	return found;
}

function isOption(name: string): name is Option {
	return Object.hasOwn(VARIABLES, name);
}

function isPlainHttpUrl(text: string): boolean {
	if (!/^https?:\/\/\S+$/i.test(text) || !URL.canParse(text)) return false;
	const { username, password } = new URL(text);
	return username === '' && password === '';
}

/** Also checks what the driver would quote in an error: a port that is no number. */
function isPostgresUrl(text: string): boolean {
	return /^postgres(ql)?:\/\//i.test(text) && URL.canParse(text);
}

function isHostName(text: string): boolean {
	if (!/^[^\s:/?#@[\]%*]+$/.test(text) || !URL.canParse(`http://${text}`)) return false;
	return isIP(new URL(`http://${text}`).hostname) === 0;
}
