import {
	contract,
	createClient,
	type CallOptions,
	type Client,
	type ClientOptions,
	type Outcome,
} from '../../../shared';
import { undiciTransport } from '../../../shared/transports/undici';
import type { UsedSandbox } from '../../support/useSandbox';
import { sms } from '../../support/relay/gateway';

/** The outcome of sending one SMS. */
export type SmsOutcome = Outcome<Awaited<ReturnType<Client['sms']['send']>>>;

/** Retries soon. The time of an attempt is that of a busy machine. */
const RETRY = { attempts: 4, baseMs: 1, longestWaitMs: 6_000, budgetMs: 60_000 };

/** Creates a client of a relay over real sockets. */
export function relayedClient(baseUrl: string, apiKey: string, more: Partial<ClientOptions> = {}): Client {
	const transport = undiciTransport();
	return createClient({ baseUrl, apiKey, transport, relay: true, timeoutMs: 20_000, retry: RETRY, ...more });
}

/** Sends one SMS. */
export async function sendSms(client: Client, options?: CallOptions, text?: string): Promise<SmsOutcome> {
	return await client.call(contract.sms.send, sms(text), options);
}

/** The same few words for each outcome, with the code of a failure. */
export function inWords(outcome: SmsOutcome): string {
	if (outcome.outcome === 'accepted') return outcome.relay?.replayed === true ? 'accepted before' : 'accepted';
	return [outcome.outcome, outcome.error.name].join(' ');
}

/**
 * Compares an outcome with the messages that the sandbox charged. It may charge nothing for a rejected message, and only
 * the given ID for an accepted one.
 * @returns how many messages were charged
 */
export async function expectHonest(outcome: SmsOutcome, control: UsedSandbox['control']): Promise<number> {
	const charged = (await control.messages()).map(({ message_id }) => message_id);
	if (outcome.outcome === 'accepted') expect([outcome.output.message_id]).toEqual(charged);
	else {
		const { error } = outcome;
		const saysNothingSent = error.hint.includes('Nothing was sent or charged.');
		const isRejected = outcome.outcome === 'rejected';
		expect([error.sent === 'no', saysNothingSent]).toEqual([isRejected, isRejected]);
		if (isRejected) expect(charged).toEqual([]);
	}
	return charged.length;
}
