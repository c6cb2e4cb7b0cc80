import { type IDataObject, type IHookFunctions, type IWebhookFunctions, NodeOperationError } from 'n8n-workflow';
import { CREDENTIAL_TYPES, credentialIssue, readAuthentication, type Authentication } from './authenticate';
import { readReceiveThrough, type ReceiveThrough } from './receiveThrough';
import {
	choice,
	choices,
	entries,
	ipRanges,
	onOrOff,
	Unusable,
	wholeNumber,
	wholeNumberWithin,
	type Reader,
} from './settingReaders';

const EVENTS = [
	['inboundSms', 'Inbound SMS'],
	['inboundWhatsapp', 'Inbound WhatsApp'],
	['deliveryReceipt', 'Delivery Receipt'],
	['lowBalance', 'Low Balance'],
] as const;
const KEYWORDS = [
	['stop', 'STOP'],
	['start', 'START'],
	['help', 'HELP'],
	['custom', 'Custom Keyword'],
	['none', 'None'],
] as const;
const UNRECOGNIZED_REQUESTS = [
	['reject', 'Reject'],
	['start', 'Start the Workflow'],
] as const;

/** How long the relay waits for more events of a batch, in milliseconds. */
const BATCH_WAIT_MS = 5_000;

/** The settings of a webhook trigger. */
export interface TriggerSettings {
	readonly triggerOn: ReadonlyArray<(typeof EVENTS)[number][0]>;
	/** Never with the relay, because the relay forwards. */
	readonly forwardInboundSms: boolean;
	readonly customKeywords: readonly string[];
	readonly routeByKeyword: boolean;
	/** An empty list accepts everything. */
	readonly filters: {
		readonly sender: readonly string[];
		readonly recipient: readonly string[];
		readonly keywords: ReadonlyArray<(typeof KEYWORDS)[number][0]>;
		/** In lower case. */
		readonly statuses: readonly string[];
	};
	readonly options: {
		/** Undefined if the option is not set, which allows any address. */
		readonly allowedIps: readonly string[] | undefined;
		/** Sender IDs that may follow a STOP. */
		readonly senderIds: readonly string[];
		readonly deduplicationWindowSeconds: number;
		/** 0 = no limit. */
		readonly maxStartsPerSenderPerHour: number;
		readonly unrecognizedRequests: (typeof UNRECOGNIZED_REQUESTS)[number][0];
		/** Only with the relay: events in one execution. Null = one execution for each event. */
		readonly batch: EventBatch | null;
	};
}

/** Events that the relay sends together. */
export interface EventBatch {
	/** Maximum number of events. */
	readonly max: number;
	/** How long the relay waits for more events, in milliseconds. */
	readonly waitMs: number;
}

/** A field that cannot be used. */
export interface SettingIssue {
	/** The name that the node shows. */
	readonly field: string;
	/** The cause and the remedy. Follows the field's name. */
	readonly message: string;
}

/** The allowlist. While it cannot be read, every request is rejected. */
export const ALLOWED_ADDRESSES = 'Allowed IP Addresses';

/**
 * Reads the trigger's fields. A field that is not set has its default. A field that is set but cannot be read is an
 * error, because an expression that returns nothing must not mean "everyone" or "always".
 * @param way fields that the editor hides for it keep their value in the node, and are left out
 * @returns the settings, or all fields that cannot be used
 * @throws n8n's own error for an expression that cannot be evaluated
 */
export function readSettings(
	context: Pick<IWebhookFunctions, 'getNode' | 'getNodeParameter'>,
	way: ReceiveThrough,
): { readonly settings: TriggerSettings } | { readonly issues: readonly SettingIssue[] } {
	const issues: SettingIssue[] = [];
	const read = <Value>(
		fields: IDataObject,
		name: string,
		label: string,
		reader: Reader<Value>,
		otherwise: Value,
	): Value => {
		if (!Object.hasOwn(fields, name)) return otherwise;
		const value = reader(fields[name]);
		if (!(value instanceof Unusable)) return value;
		issues.push({ field: label, message: value.message });
		return otherwise;
	};
	const { parameters } = context.getNode();
	const named = ['triggerOn', 'forwardInboundSms', 'customKeywords', 'routeByKeyword', 'filters', 'options'];
	const given = named.filter((name) => Object.hasOwn(parameters, name));
	const fields = Object.fromEntries(given.map((name) => [name, context.getNodeParameter(name, null)])) as IDataObject;
	const filters = read(fields, 'filters', 'Filters', collection, {});
	const shown = read(fields, 'options', 'Options', collection, {});
	const options = Object.fromEntries(Object.entries(shown).filter(([name]) => !HIDDEN_OPTIONS[way].includes(name)));
	const batchSize = read(options, 'batchSize', 'Batch Size', wholeNumberWithin(1, 500), 1);
	const statuses = read(filters, 'statuses', 'Status', someStatuses, []);
	const settings: TriggerSettings = {
		triggerOn: read(fields, 'triggerOn', 'Trigger On', choices(EVENTS), []),
		forwardInboundSms: way === 'url' && read(fields, 'forwardInboundSms', 'Forward Inbound SMS', onOrOff, false),
		customKeywords: read(fields, 'customKeywords', 'Custom Keywords', entries, []),
		routeByKeyword: read(fields, 'routeByKeyword', 'Separate Outputs by Keyword', onOrOff, false),
		filters: {
			sender: read(filters, 'sender', 'Sender', entries, []),
			recipient: read(filters, 'recipient', 'Recipient', entries, []),
			keywords: read(filters, 'keywords', 'Keyword', choices(KEYWORDS), []),
			statuses: statuses.map((status) => status.toLowerCase()),
		},
		options: {
			allowedIps: read<readonly string[] | undefined>(options, 'allowedIps', ALLOWED_ADDRESSES, ipRanges, undefined),
			senderIds: read(options, 'senderIds', 'Sender IDs', entries, []),
			deduplicationWindowSeconds: read(
				options,
				'deduplicationWindowSeconds',
				'Deduplication Window (Seconds)',
				wholeNumber,
				60,
			),
			maxStartsPerSenderPerHour: read(
				options,
				'maxStartsPerSenderPerHour',
				'Max Starts per Sender per Hour',
				wholeNumber,
				60,
			),
			unrecognizedRequests: read(
				options,
				'unrecognizedRequests',
				'Unrecognized Requests',
				choice(UNRECOGNIZED_REQUESTS),
				'reject',
			),
			batch: batchSize > 1 ? { max: batchSize, waitMs: BATCH_WAIT_MS } : null,
		},
	};
	return issues.length > 0 ? { issues } : { settings };
}

/** Options that the editor shows only for the other way. */
const HIDDEN_OPTIONS: Readonly<Record<ReceiveThrough, readonly string[]>> = {
	url: ['batchSize'],
	relay: ['allowedIps', 'deduplicationWindowSeconds', 'senderIds'],
};

const collection: Reader<IDataObject> = (value) =>
	typeof value === 'object' && value !== null && !Array.isArray(value)
		? (value as IDataObject)
		: new Unusable('is not a collection of fields');

/** An expression may return statuses that the node does not offer. */
const someStatuses: Reader<readonly string[]> = (value) =>
	Array.isArray(value) && value.length === 0 ? [] : entries(value);

/** A trigger that may be activated. */
export interface ActivatedTrigger {
	readonly way: ReceiveThrough;
	readonly settings: TriggerSettings;
}

/**
 * Checks the trigger when it is activated. The service has no endpoint to register a webhook, so the user pastes the
 * URL. This is the last chance to report an error before webhooks arrive.
 * @throws NodeOperationError with the fields to correct
 */
export async function checkActivation(context: IHookFunctions): Promise<ActivatedTrigger> {
	const way = readReceiveThrough(context);
	if (way instanceof Unusable) throw activationError(context, `Receive Through ${way.message}`);
	const read = readSettings(context, way);
	if ('issues' in read) {
		throw activationError(context, read.issues.map(({ field, message }) => `${field} ${message}`).join('. '));
	}
	const { settings } = read;
	if (settings.triggerOn.length === 0) {
		throw activationError(context, 'Trigger On is empty: choose at least one event');
	}
	const issue =
		way === 'relay' ? webhookIdIssue(context.getNode().webhookId, 'none') : await authenticationIssue(context);
	if (issue !== undefined) throw activationError(context, issue);
	return { way, settings };
}

function activationError(context: IHookFunctions, message: string): NodeOperationError {
	return new NodeOperationError(context.getNode(), message);
}

async function authenticationIssue(context: IHookFunctions): Promise<string | undefined> {
	const authentication = readAuthentication(context);
	if (authentication instanceof Unusable) return `Authentication ${authentication.message}`;
	const urlIssue = webhookIdIssue(context.getNode().webhookId, authentication);
	if (urlIssue !== undefined || authentication === 'none') return urlIssue;
	return credentialIssue(authentication, await context.getCredentials(CREDENTIAL_TYPES[authentication]));
}

/**
 * Checks the ID that makes the URL unguessable. n8n's editor and API generate it. A workflow that n8n's command line
 * imports may lack it, and a program that writes workflows may choose a word.
 */
function webhookIdIssue(webhookId: string | undefined, authentication: Authentication): string | undefined {
	const isRandom = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(webhookId ?? '');
	if (isRandom || (webhookId !== undefined && authentication === 'secret')) return undefined;
	const state = webhookId === undefined ? 'is missing' : 'is not a random UUID, so the URL can be guessed';
	return `The webhook ID of this trigger ${state}: delete the trigger and add it again`;
}
