import { defineInputField } from 'zapier-platform-core';
import { KEPT_DAYS } from './runtime/sendOnce';

/** Group of what most people never need. */
export const ADVANCED = { key: 'advanced', label: 'Advanced' } as const;

/** Sender ID: from the account's list, or a custom value. */
export const senderIdField = defineInputField({
	key: 'sender_id',
	label: 'Sender ID',
	type: 'string',
	required: true,
	dynamic: 'sender_ids.id.name',
	helpText: 'The name that the recipient sees: one of your approved sender IDs, or, as a custom value, a short code.',
});

/** Country of numbers that are written without a country code. */
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
		'Country of numbers that are written without `+` and country code, such as `0201234567`. For another country, give its code of two letters as a custom value, for example `DE`.',
	group: ADVANCED.key,
});

/** What a second run of the same step is recognised by. */
export const sendOnceKeyField = defineInputField({
	key: 'send_once_key',
	label: 'Send Once Key',
	type: 'string',
	required: false,
	helpText: `Something that is different for each message, such as the ID of the order that it is about. When this step runs again with the same key, because the run is replayed or the trigger fired twice, nothing is sent and it gives the first result with **Already Sent** true. Zapier is asked to keep the key for ${KEPT_DAYS} days, but it may forget it earlier, and a new API key begins anew: it makes a second message unlikely, not impossible. Tests in the editor leave the key out.`,
	group: ADVANCED.key,
});

/** How many runs Zapier starts: `limit` in `window` seconds for all steps with the same key and scope. */
interface Throttle {
	window: number;
	limit: number;
	key: string;
	scope: Array<'auth'>;
}

/** The sends of one connection share it, so that a long list does not run into the service's own limit. */
export const SEND_THROTTLE = { window: 10, limit: 100, key: 'sends', scope: ['auth'] } satisfies Throttle;

/** One-time codes have their own, so that a campaign does not delay a code until it has run out. */
export const CODE_THROTTLE = { ...SEND_THROTTLE, key: 'codes' } satisfies Throttle;
