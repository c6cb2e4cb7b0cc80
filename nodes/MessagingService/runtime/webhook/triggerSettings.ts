import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';
import {
	choice,
	choices,
	entries,
	httpAddress,
	ipRanges,
	onOrOff,
	Unusable,
	wholeNumber,
	type Reader,
} from './settingReaders';

const EVENTS = ['inboundSms', 'inboundWhatsapp', 'deliveryReceipt', 'lowBalance'] as const;
const SERVICE_CALLS = ['confirm', 'forwardInboundSms'] as const;
const KEYWORDS = ['stop', 'start', 'help', 'custom', 'none'] as const;
const UNRECOGNIZED_REQUESTS = ['reject', 'start'] as const;

/** The settings of a webhook trigger. */
export interface TriggerSettings {
	readonly triggerOn: ReadonlyArray<(typeof EVENTS)[number]>;
	readonly beforeStarting: ReadonlyArray<(typeof SERVICE_CALLS)[number]>;
	readonly customKeywords: readonly string[];
	readonly routeByKeyword: boolean;
	/** An empty list accepts everything. */
	readonly filters: {
		readonly sender: readonly string[];
		readonly recipient: readonly string[];
		readonly keywords: ReadonlyArray<(typeof KEYWORDS)[number]>;
		/** In lower case. */
		readonly statuses: readonly string[];
	};
	readonly options: {
		/** Undefined if the option is not set, which allows any address. */
		readonly allowedIps: readonly string[] | undefined;
		/** '' = derived from the credential's base URL. */
		readonly forwardUrl: string;
		readonly deduplicationWindowSeconds: number;
		/** 0 = no limit. */
		readonly maxStartsPerSenderPerHour: number;
		readonly unrecognizedRequests: (typeof UNRECOGNIZED_REQUESTS)[number];
	};
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
 * @returns the settings, or all fields that cannot be used
 * @throws n8n's own error for an expression that cannot be evaluated
 */
export function readSettings(
	context: Pick<IWebhookFunctions, 'getNode' | 'getNodeParameter'>,
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
	const named = ['triggerOn', 'beforeStarting', 'customKeywords', 'routeByKeyword', 'filters', 'options'];
	const given = named.filter((name) => Object.hasOwn(parameters, name));
	const fields = Object.fromEntries(given.map((name) => [name, context.getNodeParameter(name, null)])) as IDataObject;
	const filters = read(fields, 'filters', 'Filters', collection, {});
	const options = read(fields, 'options', 'Options', collection, {});
	const statuses = read(filters, 'statuses', 'Status', someStatuses, []);
	const settings: TriggerSettings = {
		triggerOn: read(fields, 'triggerOn', 'Trigger On', choices(EVENTS), []),
		beforeStarting: read(fields, 'beforeStarting', 'Before Starting', choices(SERVICE_CALLS), []),
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
			forwardUrl: read(options, 'forwardUrl', 'Forward URL', httpAddress, ''),
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
		},
	};
	return issues.length > 0 ? { issues } : { settings };
}

const collection: Reader<IDataObject> = (value) =>
	typeof value === 'object' && value !== null && !Array.isArray(value)
		? (value as IDataObject)
		: new Unusable('is not a collection of fields');

/** An expression may return statuses that the node does not offer. */
const someStatuses: Reader<readonly string[]> = (value) =>
	Array.isArray(value) && value.length === 0 ? [] : entries(value);
