import { defineInputField, type PlainOutputField } from 'zapier-platform-core';
import { EDITION } from './runtime/edition';

/** Group of fields that most people never need. */
export const ADVANCED = { key: 'advanced', label: 'Advanced' } as const;

/**
 * Phone number of the recipient: a contact, the result of Find Contact, or a custom value.
 * @param meaning first sentence of the help text
 */
export function recipientField<const Key extends string>(key: Key, label: string, meaning: string) {
	return defineInputField({
		key,
		label,
		type: 'string',
		required: true,
		dynamic: 'contacts.id.name',
		search: 'find_contact.phone',
		placeholder: '+233201234567',
		helpText: `${meaning} Choose a contact, or enter a custom value, best with \`+\` and country code.`,
	});
}

/** Group of the fields of {@link sendingHoursFields}. */
export const SENDING_HOURS = { key: 'sending_hours', label: 'Sending Hours' } as const;

/** When messages may be sent. Without the first two fields, at any time. */
export const sendingHoursFields = [
	defineInputField({
		key: 'hours_from',
		label: 'Sending Hours From',
		type: 'string',
		required: false,
		placeholder: '08:00',
		helpText: 'First minute of the day at which messages may be sent. Leave both times empty to send at any time.',
		group: SENDING_HOURS.key,
	}),
	defineInputField({
		key: 'hours_until',
		label: 'Sending Hours Until',
		type: 'string',
		required: false,
		placeholder: '19:00',
		helpText: 'From this time on, no message is sent on that day. Midnight is `24:00`.',
		group: SENDING_HOURS.key,
	}),
	defineInputField({
		key: 'sending_days',
		label: 'Sending Days',
		type: 'string',
		list: true,
		required: false,
		choices: {
			monday: 'Monday',
			tuesday: 'Tuesday',
			wednesday: 'Wednesday',
			thursday: 'Thursday',
			friday: 'Friday',
			saturday: 'Saturday',
			sunday: 'Sunday',
		},
		helpText: 'Days on which messages may be sent. Leave empty for Monday to Saturday.',
		group: SENDING_HOURS.key,
	}),
	defineInputField({
		key: 'hours_time_zone',
		label: 'Sending Hours Time Zone',
		type: 'string',
		required: false,
		placeholder: 'Africa/Accra',
		helpText: "Time zone of the recipients, such as `Africa/Accra`. Leave empty for your Zap's time zone.",
		group: SENDING_HOURS.key,
	}),
	defineInputField({
		key: 'holidays',
		label: 'Holidays',
		type: 'string',
		list: true,
		required: false,
		placeholder: '2026-12-25',
		helpText: 'Dates on which no message is sent, such as `2026-12-25`, one per field or separated by commas.',
		group: SENDING_HOURS.key,
	}),
	defineInputField({
		key: 'outside_hours',
		label: 'Outside Sending Hours',
		type: 'string',
		required: false,
		default: 'schedule',
		choices: {
			schedule: 'Schedule for the Next Allowed Time',
			skip: 'Skip the Message',
			stop: 'Stop the Zap Run',
		},
		helpText: 'What to do with a message outside the hours. The wallet is charged when the message is scheduled.',
		group: SENDING_HOURS.key,
	}),
] as const;

/** When the service sends the message. */
export const sendAtField = defineInputField({
	key: 'send_at',
	label: 'Send At',
	type: 'datetime',
	required: false,
	helpText: "When to send, by default in your Zap's time zone. Leave empty to send now. The wallet is charged now.",
});

/** The message to send, as the user writes it. */
export function messageField(helpText: string) {
	return defineInputField({ key: 'message', label: 'Message', type: 'text', required: true, helpText });
}

/** Sender ID: from the account's list, or a custom value. */
export const senderIdField = defineInputField({
	key: 'sender_id',
	label: 'Sender ID',
	type: 'string',
	required: true,
	dynamic: 'sender_ids.id.name',
	helpText: 'The name that the recipient sees. Choose an approved sender ID, or enter a short code as custom value.',
});

/** Whether to send on the priority route. */
export const priorityField = defineInputField({
	key: 'priority',
	label: 'Priority',
	type: 'boolean',
	required: false,
	helpText: 'Whether to use the faster route for one-time codes, at a higher rate.',
	group: ADVANCED.key,
});

/** Country of numbers without a country code. */
export const defaultCountryField = defineInputField({
	key: 'default_country',
	label: 'Default Country',
	type: 'string',
	required: false,
	default: 'GH',
	choices: {
		GH: 'Ghana',
		BJ: 'Benin',
		BF: 'Burkina Faso',
		CM: 'Cameroon',
		CI: "Côte d'Ivoire",
		GM: 'The Gambia',
		KE: 'Kenya',
		LR: 'Liberia',
		NG: 'Nigeria',
		SN: 'Senegal',
		SL: 'Sierra Leone',
		ZA: 'South Africa',
		TZ: 'Tanzania',
		TG: 'Togo',
		UG: 'Uganda',
		GB: 'United Kingdom',
		US: 'United States',
	},
	helpText:
		'Country of numbers without `+` and country code, such as `0201234567`. For others, enter a custom value such as `DE`.',
	group: ADVANCED.key,
});

/** Whether new mobile numbers pass. */
export const unknownRangesField = defineInputField({
	key: 'unknown_number_ranges',
	label: 'Unknown Number Ranges',
	type: 'string',
	required: false,
	default: 'reject',
	choices: { reject: 'Reject', allow: 'Allow' },
	helpText: 'What to do with numbers in ranges that this app does not know yet, such as new ones in Ghana.',
	group: ADVANCED.key,
});

/** Whether a message may go to a landline. */
export const landlinesField = defineInputField({
	key: 'landlines',
	label: 'Landlines',
	type: 'string',
	required: false,
	default: 'reject',
	choices: { reject: 'Reject', allow: 'Allow' },
	helpText: 'What to do with numbers that are certainly landlines. They usually cannot receive, and may be charged.',
	group: ADVANCED.key,
});

/** Lifetime that the app asks Zapier to give a Send Once Key, in days. */
export const KEPT_DAYS = 7;

/** Idempotency key by which the app recognizes a second run of the same step. */
export const sendOnceKeyField = defineInputField({
	key: 'send_once_key',
	label: 'Send Once Key',
	type: 'string',
	required: false,
	helpText: `Idempotency key: one value for each message, such as \`1001-shipped\`. For up to ${KEPT_DAYS} days, a second run sends nothing.`,
	group: ADVANCED.key,
});

/** Key of {@link keyScopeFields}. */
export const KEY_SCOPE = 'key_scope';

const keyScopeField = defineInputField({
	key: KEY_SCOPE,
	label: 'Key Scope',
	type: 'string',
	required: false,
	default: 'action',
	choices: { action: 'This Action', account: 'The Whole Account' },
	helpText: 'Where the Send Once Key names one message. The whole account means all actions, with a relay as Base URL.',
	group: ADVANCED.key,
});

/** Where a Send Once Key names one message. An app for one host has no relay as Base URL, and so no choice. */
export const keyScopeFields = EDITION.onlyHost === undefined ? [keyScopeField] : [];

/** Key of {@link dryRunField}. */
export const DRY_RUN_KEY = 'dry_run';

/** Whether the step only shows what a real run would do. */
export const dryRunField = defineInputField({
	key: DRY_RUN_KEY,
	label: 'Dry Run',
	type: 'boolean',
	required: false,
	helpText: 'Whether to only show what would happen, with the cost. If yes, the step sends nothing. Empty: no.',
	group: ADVANCED.key,
});

/** The price of an SMS for the cost in a dry run. */
export const segmentPriceField = defineInputField({
	key: 'price_per_segment',
	label: 'Price per Segment',
	type: 'number',
	required: false,
	helpText: 'Your price for one segment, for example `0.05`. Only for the cost in a dry run. Empty: no cost.',
	group: ADVANCED.key,
});

/** The price of a call for the cost in a dry run. */
export const callPriceField = defineInputField({
	key: 'price_per_call',
	label: 'Price per Call',
	type: 'number',
	required: false,
	helpText: 'Your price for one call, for example `0.2`. Only for the cost in a dry run. Empty: no cost.',
	group: ADVANCED.key,
});

/** Output fields of a contact. */
export const contactOutput = [
	{ key: 'id', label: 'ID', type: 'string' },
	{ key: 'name', label: 'Name', type: 'string' },
	{ key: 'phone', label: 'Phone', type: 'string' },
] satisfies PlainOutputField[];

/** The service's own dates of a contact. All other fields come back as the user wrote them. */
export const isContactDate = (name: string) => /^(created|updated)_?at$/i.test(name);

/** Sample of {@link contactOutput}. */
export const CONTACT_SAMPLE = { id: '7', name: 'Ama Mensah', phone: '+233201234567' };

/** Zapier starts at most `limit` runs in `window` seconds, over all steps with the same key and scope. */
export interface Throttle {
	window: number;
	limit: number;
	key: string;
	scope: Array<'auth'>;
}

/** Shared by all sends of one connection, to stay below the service's own rate limit. */
export const SEND_THROTTLE = { window: 10, limit: 100, key: 'sends', scope: ['auth'] } satisfies Throttle;

/** One-time codes have their own throttle. Otherwise a campaign could delay a code until it expires. */
export const CODE_THROTTLE = { ...SEND_THROTTLE, key: 'codes' } satisfies Throttle;
