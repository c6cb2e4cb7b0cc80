import { writeFileSync } from 'node:fs';
import {
	apiKeyIssue,
	ConnectionError,
	contract,
	InputError,
	nowOf,
	senderNames,
	type KeyCheck,
	type Transport,
} from '../shared';
import { undiciTransport } from '../shared/transports/undici';
import { CommandLineError, parseCommandLine, USAGE, type CommandLine } from './commandLine';
import { createRecorder, type Account, type Recorder } from './exchange';
import { collectFacts } from './facts';
import { probePaid, type PaidProbes } from './paid/probePaid';
import { probeFree } from './probes';
import { createNameMask } from './publicNames';
import { recordShapes } from './recordShapes';
import { writeReport, writeSummary } from './report';
import { makeRows } from './rows';
import { processTerminal, type Terminal } from './terminal';
import { listenForWebhooks, type WebhookListener } from './webhooks/listen';

/** Exit codes: every attempted row is ok; a row differs or is unreadable; the check could not run. */
const OK = 0;
const DIFFERENT = 1;
const NOT_RUN = 2;

/** How long the status of a paid message is followed, in milliseconds. */
const FOLLOW_MS = 60_000;

/** The check cannot run. The message says why and what to do. */
class DoctorError extends Error {
	override readonly name = 'DoctorError';
}

/**
 * Checks a real account (docs/doctor.md): makes requests, writes the report and the recorded shapes, and prints a summary.
 * @param args the arguments without the program's name
 * @param env `MESSAGING_SERVICE_API_KEY` and `MESSAGING_SERVICE_BASE_URL`
 * @param terminal that of this process by default
 * @param transport makes the requests and waits. By default, over the network and in real time
 * @returns the exit code: 0 if every attempted row is ok, 1 if one is not, 2 if the check could not run
 */
export async function main(
	args: readonly string[],
	env: Readonly<Record<string, string | undefined>>,
	terminal: Terminal = processTerminal,
	transport: Transport = undiciTransport(),
): Promise<number> {
	try {
		const options = parseCommandLine(args, env);
		if (options === 'help') {
			terminal.print(USAGE);
			return OK;
		}
		const apiKey = await readKey(env, terminal);
		return await run(options, { baseUrl: options.baseUrl, apiKey, transport }, terminal);
	} catch (error) {
		if (error instanceof CommandLineError) terminal.warn(`${error.message}\n\n${USAGE}`);
		else if (error instanceof DoctorError) terminal.warn(`${error.message}\n`);
		else if (error instanceof InputError) terminal.warn(`${error.message}. ${error.hint}\n`);
		else throw error;
		return NOT_RUN;
	}
}

async function readKey(env: Readonly<Record<string, string | undefined>>, terminal: Terminal): Promise<string> {
	const key = env.MESSAGING_SERVICE_API_KEY ?? (await terminal.askSecret('API key (hidden): '));
	if (key === undefined) throw new DoctorError('There is no API key. Set MESSAGING_SERVICE_API_KEY.');
	const issue = apiKeyIssue(key);
	if (issue) throw new DoctorError(`The API key ${issue.message}.`);
	return key;
}

async function run(options: CommandLine, account: Account, terminal: Terminal): Promise<number> {
	const recorder = createRecorder(account, 2);
	const check = await recorder.client.checkKey();
	if (!check.known) throw new DoctorError(keyProblem(check));
	const mask = createNameMask();
	const listener = options.webhooks && (await startListening(options.webhooks, mask, terminal));
	try {
		const began = nowOf(account.transport);
		terminal.print('Making requests that cost nothing ...\n');
		const balance = await recorder.ask(contract.wallet.getBalance, {});
		const free = await probeFree(account, recorder, balance);
		const paid = options.paid && (await sendPaid(options.paid, account, recorder, terminal));
		if (options.webhooks) {
			const left = options.webhooks.seconds * 1000 - (nowOf(account.transport) - began);
			if (left > 0) await account.transport.sleep(left);
		}
		const facts = await collectFacts({ free, paid, webhooks: listener?.received }, mask);
		const rows = makeRows(facts);
		write(options.report, writeReport(rows, facts));
		write(options.shapes, `${JSON.stringify(recordShapes(facts), null, '\t')}\n`);
		terminal.print(`\n${writeSummary(rows)}\nReport: ${options.report}\nShapes: ${options.shapes}\n`);
		if (!rows.some(({ verdict }) => verdict === 'differs' || verdict === 'unreadable')) return OK;
		terminal.print('Some responses differ from those that we expect. Open an issue, and attach the report.\n');
		return DIFFERENT;
	} finally {
		await listener?.stop();
	}
}

/** The service's own words could repeat someone's data, so they are not shown. */
function keyProblem({ error }: Extract<KeyCheck, { known: false }>): string {
	if (error instanceof ConnectionError) return `${error.message}. ${error.hint}`;
	const status = error.status === undefined ? '' : ` (HTTP ${error.status})`;
	if (error.meaning === 'invalid_key')
		return `The service does not accept the API key${status}. Copy it again from the dashboard.`;
	return `The base URL responds, but not like the service${status}. Check that it ends in /api/v1/.`;
}

async function startListening(
	{ port, publicUrl }: NonNullable<CommandLine['webhooks']>,
	mask: ReturnType<typeof createNameMask>,
	terminal: Terminal,
): Promise<WebhookListener> {
	try {
		const listener = await listenForWebhooks(port, mask);
		terminal.print(`Webhooks to ${publicUrl} must arrive at port ${listener.port} of this machine.\n`);
		terminal.print(`Paste this callback URL in the dashboard of the service:\n\n  ${publicUrl}${listener.path}\n\n`);
		return listener;
	} catch (error) {
		if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
			throw new DoctorError(`--port ${port} is in use. Choose another one.`);
		}
		throw error;
	}
}

async function sendPaid(
	options: NonNullable<CommandLine['paid']>,
	account: Account,
	{ client }: Recorder,
	terminal: Terminal,
): Promise<PaidProbes> {
	const listed = await client.call(contract.senderId.list, {});
	const [first] = listed.outcome === 'accepted' ? senderNames(listed.output) : [];
	terminal.print(`Sending on ${options.channels.join(', ')}, for at most ${options.maxSpend} ...\n`);
	const paid = await probePaid(account, { ...options, sender: options.sender ?? first, followMs: FOLLOW_MS });
	for (const { channel, result, why } of paid.channels) {
		terminal.print(`  ${channel}: ${result}${why === undefined ? '' : `. ${why}`}\n`);
	}
	return paid;
}

function write(file: string, text: string): void {
	try {
		writeFileSync(file, text);
	} catch (error) {
		const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
		throw new DoctorError(`${file} cannot be written${code}. Choose another file.`);
	}
}
