import { type IHookFunctions, NodeOperationError, type ICredentialDataDecryptedObject } from 'n8n-workflow';
import { z } from 'zod/v4';
import { cutText, toInternational } from '../../../../../shared/index';
import type { TriggerSettings } from '../triggerSettings';
import { callRelay, RelayFailure, type SendToRelay } from './relayApi';
import { readRelayAccess, RELAY_CREDENTIAL, relayReference, relaySecret, type RelayAccess } from './relayCredential';
import { relayTypes } from './relayTypes';
import { responseTo } from '../../../host/transport';

/** Time limit of a call while n8n starts, in milliseconds. Other workflows wait for it. */
const STARTING_TIMEOUT_MS = 5_000;

/** Time limit of a call while a person waits, in milliseconds. The relay may take 10 seconds to start. */
const TIMEOUT_MS = 15_000;

/** Limits of the relay for a filter: entries of a list, and characters of an entry. */
const MOST_VALUES = 50;
const LONGEST_VALUE = 100;

/** Limit of the relay for a label, in UTF-16 units. */
const LONGEST_LABEL = 100;

const list = z.array(z.string()).optional().catch(undefined);

/** A subscription as the relay describes it. */
const subscription = z.object({
	id: z.string(),
	url: z.string(),
	types: z.array(z.string()),
	filter: z.object({ statuses: list, keywords: list, from: list, to: list, channels: list }).nullish(),
	batch: z.object({ max: z.number(), wait_ms: z.number() }).nullish(),
	state: z.string(),
});
const subscriptions = z.object({ data: z.array(subscription) });
type Subscription = z.infer<typeof subscription>;

/** What a trigger registers, as the relay compares it. */
type Registration = Pick<Subscription, 'url' | 'types' | 'batch'> & {
	readonly filter: Partial<Record<'statuses' | 'keywords' | 'from' | 'to', readonly string[]>>;
};

/**
 * Whether the relay knows this trigger as it is now. If the relay is away while n8n starts, the answer is yes with a
 * warning: n8n would deactivate the workflow after an error, and the relay still has the former registration.
 * @throws NodeOperationError if a user activates the workflow and the relay cannot be asked
 */
export async function isRegistered(context: IHookFunctions, settings: TriggerSettings): Promise<boolean> {
	const wanted = registrationOf(context, settings);
	const found = await withRelay(context, async (send, access) => await find(context, send, access, isTest(context)));
	if (found instanceof RelayFailure) {
		failUnlessStarting(context, found);
		return true;
	}
	if (found === undefined || !isSame(found, wanted)) return false;
	// Only a person pauses a subscription. The relay keeps that state, also after a new registration.
	if (found.state === 'paused') warn(context, 'its subscription is paused on the page of the relay');
	return found.state === 'active' || found.state === 'paused';
}

/**
 * Registers this trigger at the relay, or updates its registration.
 * @throws NodeOperationError if the relay does not accept it, except while n8n starts
 */
export async function register(context: IHookFunctions, settings: TriggerSettings): Promise<void> {
	const { filter, ...registration } = registrationOf(context, settings);
	const reference = referenceOf(context, isTest(context));
	const registered = await withRelay(
		context,
		async (send, access) =>
			await callRelay(send, access, {
				method: 'POST',
				path: '/v1/subscriptions',
				body: {
					...registration,
					...(Object.keys(filter).length > 0 && { filter }),
					reference,
					label: labelOf(context),
					secret: relaySecret(access.token, reference),
				},
				timeoutMs: timeoutMs(context),
			}),
	);
	if (registered instanceof RelayFailure) failUnlessStarting(context, registered);
}

/**
 * Removes this trigger from the relay. Nothing stops n8n from deactivating a workflow, so a failure is only a warning.
 * n8n does not say whether a test ended or the workflow was deactivated, so the URL decides.
 */
export async function unregister(context: IHookFunctions): Promise<void> {
	const path = pathOf(urlOf(context));
	const removed = await withRelay(context, async (send, access) => {
		for (const test of [true, false]) {
			const found = await find(context, send, access, test);
			if (found instanceof RelayFailure) return found;
			if (found === undefined || pathOf(found.url) !== path) continue;
			const called = await callRelay(send, access, {
				method: 'DELETE',
				path: `/v1/subscriptions/${encodeURIComponent(found.id)}`,
				timeoutMs: STARTING_TIMEOUT_MS,
			});
			if (called instanceof RelayFailure) return called;
		}
		return undefined;
	});
	if (removed) warn(context, `its subscription could not be removed from the relay. ${removed.logged}`);
}

async function withRelay<Result>(
	context: IHookFunctions,
	work: (send: SendToRelay, access: RelayAccess) => Promise<Result | RelayFailure>,
): Promise<Result | RelayFailure> {
	const credential = await context.getCredentials(RELAY_CREDENTIAL).catch(() => undefined);
	if (credential === undefined) {
		return new RelayFailure(
			'The Messaging Service Relay API credential of this trigger cannot be read: select it again',
		);
	}
	const access = readRelayAccess(credential);
	return typeof access === 'string' ? new RelayFailure(access) : await work(sendToRelay(context, credential), access);
}

async function find(
	context: IHookFunctions,
	send: SendToRelay,
	access: RelayAccess,
	test: boolean,
): Promise<Subscription | undefined | RelayFailure> {
	const path = `/v1/subscriptions?reference=${encodeURIComponent(referenceOf(context, test))}`;
	const called = await callRelay(send, access, { method: 'GET', path, timeoutMs: timeoutMs(context) });
	if (called instanceof RelayFailure) return called;
	const read = subscriptions.safeParse(called.json);
	if (read.success) return read.data.data[0];
	return new RelayFailure(
		`Relay URL: there is no relay at ${access.url}. Enter its address, such as https://relay.example.com`,
	);
}

function registrationOf(context: IHookFunctions, { triggerOn, filters, customKeywords, options }: TriggerSettings) {
	const words = filters.keywords.flatMap((kind) => (kind === 'custom' ? customKeywords : [kind]));
	const lists = { statuses: filters.statuses, keywords: words, from: filters.sender, to: filters.recipient };
	// The trigger filters again, so a list that is too long for the relay is left out.
	const fits = (some: readonly string[]) =>
		some.length > 0 && some.length <= MOST_VALUES && some.every((entry) => entry.length <= LONGEST_VALUE);
	const filter: Registration['filter'] = Object.fromEntries(Object.entries(lists).filter(([, some]) => fits(some)));
	const batch = options.batch && { max: options.batch.max, wait_ms: options.batch.waitMs };
	return { url: urlOf(context), types: relayTypes(triggerOn, options), filter, batch } satisfies Registration;
}

function isSame(found: Subscription, wanted: Registration): boolean {
	const sameFilter = (['statuses', 'keywords', 'from', 'to'] as const).every((name) =>
		isSameSet(found.filter?.[name] ?? [], wanted.filter[name] ?? []),
	);
	return (
		found.url === wanted.url &&
		isSameSet(found.types, wanted.types) &&
		sameFilter &&
		(found.filter?.channels ?? []).length === 0 &&
		found.batch?.max === wanted.batch?.max &&
		found.batch?.wait_ms === wanted.batch?.wait_ms
	);
}

/** Whether two lists have the same entries. The relay may spell numbers and words in its own way. */
function isSameSet(one: readonly string[], other: readonly string[]): boolean {
	const spelled = (entries: readonly string[]) => new Set(entries.map((entry) => toInternational(entry).toLowerCase()));
	const [first, second] = [spelled(one), spelled(other)];
	return first.size === second.size && [...first].every((entry) => second.has(entry));
}

/** n8n registers a test with its own mode, and ends it with another one. */
function isTest(context: IHookFunctions): boolean {
	return context.getMode() === 'manual';
}

function referenceOf(context: IHookFunctions, test: boolean): string {
	const ids = [context.getInstanceId(), String(context.getWorkflow().id), context.getNode().id] as const;
	return relayReference(ids, test);
}

/** The name that the page of the relay shows. */
function labelOf(context: IHookFunctions): string {
	return cutText(`${context.getWorkflow().name ?? ''}: ${context.getNode().name}`, LONGEST_LABEL);
}

function urlOf(context: IHookFunctions): string {
	return context.getNodeWebhookUrl('default') ?? '';
}

/** The path of a URL: the host may have changed since the registration. */
function pathOf(url: string): string {
	return URL.canParse(url) ? new URL(url).pathname : url;
}

function isStarting(context: IHookFunctions): boolean {
	return ['init', 'leadershipChange'].includes(context.getActivationMode());
}

function timeoutMs(context: IHookFunctions): number {
	return isStarting(context) ? STARTING_TIMEOUT_MS : TIMEOUT_MS;
}

function failUnlessStarting(context: IHookFunctions, { message, logged }: RelayFailure): void {
	if (!isStarting(context)) {
		const error = new NodeOperationError(context.getNode(), message);
		// n8n replaces a message with a word such as ECONNREFUSED by a sentence of its own, without the field.
		error.message = message;
		throw error;
	}
	warn(context, `its registration at the relay could not be checked. ${logged}`);
}

function warn(context: IHookFunctions, what: string): void {
	const { id } = context.getWorkflow();
	context.logger.warn(`Messaging Service Trigger "${context.getNode().name}": ${what}`, { workflowId: id });
}

/**
 * Sends with n8n's own HTTP client, so that n8n's proxy, certificate and network settings apply. n8n adds the header with
 * the token from the credential.
 */
function sendToRelay(context: IHookFunctions, credential: ICredentialDataDecryptedObject): SendToRelay {
	const credentialsDecrypted = { id: '', name: RELAY_CREDENTIAL, type: RELAY_CREDENTIAL, data: credential };
	return async ({ method, url, headers, body, timeoutMs }) => {
		const sending = context.helpers.httpRequestWithAuthentication.call(
			context,
			RELAY_CREDENTIAL,
			{
				...{ method, url, headers: { ...headers }, body, timeout: timeoutMs },
				...{ encoding: 'text', json: false, returnFullResponse: true },
				...{ ignoreHttpStatusErrors: true, disableFollowRedirect: true },
			},
			{ credentialsDecrypted },
		);
		return await responseTo({ timeoutMs }, sending);
	};
}
