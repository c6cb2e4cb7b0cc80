import { contract, isFinalMessageStatus, nowOf, type Endpoint } from '../../shared';
import { createRecorder, outcomeOf, type Account, type Exchange } from '../exchange';
import { isJsonObject } from '../structure';
import { createBudget } from './budget';
import { channelEndpoints, type PaidChannel } from './channels';

/** Options of the requests that cost something. */
export interface PaidOptions {
	/** Phone number in E.164 form. */
	readonly to: string;
	/** Address for the channel email. */
	readonly email: string | undefined;
	/** In currency units. */
	readonly maxSpend: number;
	readonly channels: readonly PaidChannel[];
	/** Sender ID; undefined if the account has none. */
	readonly sender: string | undefined;
	/** Highest price of one request by channel, in currency units. */
	readonly prices: Readonly<Partial<Record<PaidChannel, number>>>;
	/** Time limit for following one status, in milliseconds. */
	readonly followMs: number;
}

/** The paid request of one channel. */
export interface PaidProbe {
	readonly channel: PaidChannel;
	/** `unknown`: it may have been sent and charged. It is never sent again. */
	readonly result: 'accepted' | 'rejected' | 'unknown' | 'not sent';
	/** Why it was not sent. */
	readonly why?: string;
	readonly send?: Exchange;
	/** Reads of its status, in order. */
	readonly statuses: readonly Exchange[];
	/** Time of the response, in milliseconds since 1970. */
	readonly at: number;
}

/** All paid requests. */
export interface PaidProbes {
	readonly channels: readonly PaidProbe[];
	/** A check of a code that is almost certainly wrong. */
	readonly wrongCode?: Exchange;
}

/** One segment in the GSM-7 alphabet. */
const TEXT = 'This is a test message.';

/** Waits between reads of a status, in milliseconds; the last one repeats. */
const WAITS = [300, 700, 1_000, 2_000, 3_000, 5_000];

/**
 * Sends one request on each channel, as long as none can exceed the budget, and follows the status. Each request is
 * made once: a failed connection or a 429 is not retried.
 */
export async function probePaid(account: Account, options: PaidOptions): Promise<PaidProbes> {
	const budget = createBudget(options.maxSpend, options.prices);
	const free = createRecorder(account, 2);
	const once = createRecorder(account, 1);
	const probes: PaidProbe[] = [];
	let wrongCode: Exchange | undefined;
	for (const channel of options.channels) {
		const probe = await probeChannel(channel);
		probes.push(probe);
		wrongCode ??= channel === 'verification' ? await checkWrongCode(probe) : undefined;
	}
	return { channels: probes, wrongCode };

	async function probeChannel(channel: PaidChannel): Promise<PaidProbe> {
		const notSent = (why: string) => ({ channel, result: 'not sent', why, statuses: [], at: Date.now() }) as const;
		const prepared = inputFor(channel, options);
		if ('why' in prepared) return notSent(prepared.why);
		const balance = await readBalance();
		const permission = budget.permit(channel, balance);
		if (!permission.allowed) return notSent(permission.why);
		const send = await once.ask(channelEndpoints[channel], prepared.input);
		const { outcome } = send.outcome;
		if (outcome !== 'rejected') budget.spend(channel, outcome === 'accepted' ? costOf(send) : undefined, balance);
		return { channel, result: outcomeOf(send), send, at: Date.now(), statuses: await follow(channel, send) };
	}

	async function readBalance(): Promise<number | undefined> {
		const result = await free.client.call(contract.wallet.getBalance, {});
		return result.outcome === 'accepted' ? result.output.balance : undefined;
	}

	async function follow(channel: PaidChannel, send: Exchange): Promise<Exchange[]> {
		const id = fieldOf(send, 'message_id');
		if (typeof id !== 'string') return [];
		const endpoint: Endpoint = channel === 'sms' ? contract.sms.get : contract.message.get;
		const statuses: Exchange[] = [];
		const now = () => nowOf(account.transport);
		const ends = now() + options.followMs;
		for (let number = 0; ; number++) {
			const read = await free.ask(endpoint, { id });
			statuses.push(read);
			const status = fieldOf(read, 'status');
			const wait = WAITS[Math.min(number, WAITS.length - 1)] ?? 0;
			if (typeof status !== 'string' || isFinalMessageStatus(status) || now() + wait > ends) break;
			await account.transport.sleep(wait);
		}
		return channel === 'sms' ? [...statuses, await free.ask(contract.message.get, { id })] : statuses;
	}

	/** A wrong code uses one try of a code that only this run started. */
	async function checkWrongCode(probe: PaidProbe): Promise<Exchange | undefined> {
		const id = probe.send && fieldOf(probe.send, 'verification_id');
		if (typeof id !== 'string' && typeof id !== 'number') return undefined;
		return await once.ask(contract.verification.check, { verification_id: id, code: '000000' });
	}
}

/** The input of a request, or why there is none. */
type Prepared = { readonly input: Readonly<Record<string, unknown>> } | { readonly why: string };

function inputFor(channel: PaidChannel, { to, email, sender }: PaidOptions): Prepared {
	const needsSender = channel === 'sms' || channel === 'bulk' || channel === 'verification';
	if (needsSender && sender === undefined) return { why: 'The account has no readable sender ID. Add --sender NAME.' };
	switch (channel) {
		case 'sms':
			return { input: { to, sender_id: sender, message: TEXT } };
		case 'bulk':
			return { input: { to: [to], sender_id: sender, message: TEXT } };
		case 'verification':
			return { input: { phone: to, sender_id: sender } };
		case 'lookup':
			return { input: { phone: to } };
		case 'whatsapp':
		case 'voice':
			return { input: { to, message: TEXT } };
		case 'email':
			return email === undefined
				? { why: 'Add --send-to-email ADDRESS.' }
				: { input: { to: email, subject: 'Test message', message: TEXT } };
	}
}

function fieldOf({ outcome }: Exchange, field: string): unknown {
	if (outcome.outcome !== 'accepted') return undefined;
	return isJsonObject(outcome.output) ? outcome.output[field] : undefined;
}

function costOf(send: Exchange): number | undefined {
	const cost = fieldOf(send, 'cost');
	if (typeof cost === 'number' && cost >= 0) return cost;
	return undefined;
}
