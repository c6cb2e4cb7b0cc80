import { parseArgs } from 'node:util';
import { paidChannels, type PaidChannel } from './paid/channels';

/** Options of the doctor. */
export interface CommandLine {
	readonly baseUrl: string;
	/** File names of the report and the shapes. */
	readonly report: string;
	readonly shapes: string;
	/** Missing if nothing may cost money. */
	readonly paid?: {
		readonly to: string;
		readonly email: string | undefined;
		/** In currency units. */
		readonly maxSpend: number;
		readonly channels: readonly PaidChannel[];
		readonly sender: string | undefined;
		readonly prices: Readonly<Partial<Record<PaidChannel, number>>>;
	};
	/** Missing without `--public-url`. */
	readonly webhooks?: {
		/** Without a trailing slash. */
		readonly publicUrl: string;
		readonly port: number;
		/** How long to listen, in seconds. */
		readonly seconds: number;
	};
}

/** An option is wrong. The message names it and says what to do. */
export class CommandLineError extends Error {
	override readonly name = 'CommandLineError';
}

/** All options, for `--help`. */
export const USAGE = `Usage: doctor --base-url URL [options]

The API key comes from the environment variable MESSAGING_SERVICE_API_KEY, or from a hidden prompt.
Without --send-to, no request can cost money.

  --base-url URL        address of the service. Default: MESSAGING_SERVICE_BASE_URL
  --report FILE         where to write the report. Default: doctor-report.md
  --shapes FILE         where to write the recorded shapes. Default: doctor-shapes.json
  --send-to NUMBER      your own phone number, e.g. +233201234567. Requires --max-spend
  --max-spend AMOUNT    most that the paid requests may cost together, e.g. 0.50
  --channels LIST       ${paidChannels.join(',')}. Default: sms
  --prices LIST         highest price of one request, e.g. sms=0.05,voice=0.20
  --sender NAME         sender ID. Default: the first one of the account
  --send-to-email ADDR  address for the channel email
  --public-url URL      address that leads to this machine, to receive webhooks
  --port NUMBER         port to receive webhooks on. Default: 8787
  --listen SECONDS      how long to receive webhooks. Default: 120
`;

const text = { type: 'string' } as const;
const OPTIONS = {
	'base-url': text,
	report: text,
	shapes: text,
	'send-to': text,
	'send-to-email': text,
	'max-spend': text,
	channels: text,
	prices: text,
	sender: text,
	'public-url': text,
	port: text,
	listen: text,
	help: { type: 'boolean' },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

/**
 * Parses the command line.
 * @param args the arguments without the program's name
 * @param env environment variables
 * @returns `help` if the user asked for the options
 * @throws CommandLineError that names the unknown option or the wrong value
 */
export function parseCommandLine(
	args: readonly string[],
	env: Readonly<Record<string, string | undefined>>,
): CommandLine | 'help' {
	const values = parse(args);
	if (values.help) return 'help';
	const baseUrl = values['base-url'] ?? env.MESSAGING_SERVICE_BASE_URL ?? '';
	if (baseUrl.trim() === '') throw new CommandLineError('--base-url is missing. Give the address of the service.');
	return {
		baseUrl,
		report: values.report ?? 'doctor-report.md',
		shapes: values.shapes ?? 'doctor-shapes.json',
		paid: readPaid(values),
		webhooks: readWebhooks(values),
	};
}

function parse(args: readonly string[]): Values {
	if (args.some((arg) => /^sk_|=sk_/.test(arg))) {
		throw new CommandLineError(
			'The API key must not be an option, because other programs can see it. Set MESSAGING_SERVICE_API_KEY, or type it at the prompt.',
		);
	}
	try {
		return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: false }).values;
	} catch (error) {
		throw new CommandLineError(error instanceof Error ? error.message : String(error));
	}
}

function readPaid(values: Values): CommandLine['paid'] {
	const { 'send-to': to, 'max-spend': maxSpend, channels, prices, sender, 'send-to-email': email } = values;
	if (to === undefined) {
		const alone = [maxSpend, channels, prices, sender, email].some((value) => value !== undefined);
		if (alone) throw new CommandLineError('--send-to is missing. Without it, nothing is sent.');
		return undefined;
	}
	if (!/^\+[1-9]\d{6,14}$/.test(to)) {
		throw new CommandLineError(
			'--send-to is not a phone number. Write it with + and country code, e.g. +233201234567.',
		);
	}
	if (maxSpend === undefined)
		throw new CommandLineError('--max-spend is missing. Give the most that may be spent, e.g. 0.50.');
	return {
		to,
		email,
		sender,
		maxSpend: readAmount('--max-spend', maxSpend),
		channels: readChannels(channels),
		prices: readPrices(prices),
	};
}

function readAmount(option: string, value: string): number {
	if (/^\d{1,7}(\.\d{1,4})?$/.test(value)) return Number(value);
	throw new CommandLineError(`${option} is not an amount. Write it like 0.50.`);
}

function readChannel(name: string, option: string): PaidChannel {
	const channel = paidChannels.find((known) => known === name);
	if (channel !== undefined) return channel;
	throw new CommandLineError(`${option} has an unknown channel. Choose from ${paidChannels.join(', ')}.`);
}

function readChannels(list = 'sms'): PaidChannel[] {
	return [...new Set(list.split(',').map((name) => readChannel(name.trim(), '--channels')))];
}

function readPrices(list: string | undefined): Partial<Record<PaidChannel, number>> {
	const prices: Partial<Record<PaidChannel, number>> = {};
	for (const entry of list?.split(',') ?? []) {
		const [name = '', amount = ''] = entry.split('=');
		prices[readChannel(name.trim(), '--prices')] = readAmount('--prices', amount.trim());
	}
	return prices;
}

function readWebhooks(values: Values): CommandLine['webhooks'] {
	const { 'public-url': publicUrl, port = '8787', listen = '120' } = values;
	if (publicUrl === undefined) return undefined;
	if (!/^https?:$/.test(URL.parse(publicUrl)?.protocol ?? '')) {
		throw new CommandLineError('--public-url is not an address. Write it like https://example.ngrok.app.');
	}
	if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
		throw new CommandLineError('--port is not a number from 0 to 65535.');
	}
	if (!/^\d{1,4}$/.test(listen)) throw new CommandLineError('--listen is not a number of seconds from 0 to 9999.');
	return { publicUrl: publicUrl.replace(/\/+$/, ''), port: Number(port), seconds: Number(listen) };
}
