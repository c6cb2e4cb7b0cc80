import type { Authentication, Bundle, ZObject } from 'zapier-platform-core';
import { asSentence, errorMessage, KEY_WITHOUT_BALANCE, keyProblem } from '../shared';
import { relayClient } from './relay/relayClient';
import { isForService } from './runtime/apiKey';
import { BASE_URL_IS_RELAY, isBaseUrlRelay, WHICH_SWITCH } from './runtime/baseUrlIsRelay';
import { EDITION } from './runtime/edition';
import { connect, TIMEOUT_MS } from './runtime/perform';

/** Zapier's check D002 asks for a link to the page with the keys. */
const dashboard =
	EDITION.keysPage === undefined
		? 'the dashboard of your account'
		: `[the dashboard of your account](${EDITION.keysPage})`;

const relaySwitch = {
	key: BASE_URL_IS_RELAY,
	label: 'Base URL Is a Relay',
	type: 'boolean',
	required: false,
	helpText: 'Choose yes if Base URL is your relay. Sends go through it. Relay URL only brings events in.',
	isNoSecret: true,
} as const;

/** The connection of a Zap: the service or a relay with the API key, and optionally a relay for instant triggers. */
export const authentication = {
	type: 'custom',
	fields: [
		{
			key: 'base_url',
			label: 'Base URL',
			type: 'string',
			required: true,
			placeholder: 'https://your-service.example/api/v1/',
			helpText: 'Address of the service or of your relay. It must start with `https://` and end in `/api/v1/`.',
			isNoSecret: true,
			...(EDITION.onlyHost !== undefined && {
				default: `https://${EDITION.onlyHost}/api/v1/`,
				helpText: 'Address of the service. Keep it as it is: the app connects to no other host.',
			}),
		},
		{
			key: 'api_key',
			label: 'API Key',
			type: 'password',
			required: true,
			placeholder: 'sk_...',
			helpText: `The key from ${dashboard}. It starts with \`sk_\`.`,
		},
		{
			key: 'account_name',
			label: 'Account Name',
			type: 'string',
			// With one host, only this name tells two accounts apart.
			required: EDITION.onlyHost !== undefined,
			placeholder: 'Kofi Shop',
			helpText: "Your name for this account, for example `Kofi Shop`. It appears in the connection's label.",
			isNoSecret: true,
		},
		{
			key: 'header',
			label: 'Auth Header',
			type: 'string',
			required: false,
			choices: { 'X-API-Key': 'X-API-Key', Authorization: 'Authorization: Bearer' },
			default: 'X-API-Key',
			helpText:
				'Header that carries the key. The service accepts both. Change it only if something in between needs the other.',
			isNoSecret: true,
		},
		// A relay has another host.
		...(EDITION.onlyHost === undefined ? [relaySwitch] : []),
		{
			key: 'relay_url',
			label: 'Relay URL',
			type: 'string',
			required: false,
			placeholder: 'https://relay.example',
			helpText:
				'Address of your relay with `https://`, for instant triggers only. Sends use Base URL. Leave empty without a relay.',
			isNoSecret: true,
		},
		{
			key: 'relay_token',
			label: 'Relay Token',
			type: 'password',
			required: false,
			placeholder: 'rly_...',
			helpText: 'A token of the kind Zapier, from the page of your relay. Leave empty without a relay.',
		},
	],
	test,
	connectionLabel: '{{account}}',
} satisfies Authentication;

/**
 * Tests a connection by reading the wallet balance. A response without a readable balance still proves the key. Then
 * tests the relays, if there are any. They come second, because Zapier's core learns how to authenticate its own requests
 * from the first request of this test.
 * @returns the balance, and the connection's label as `account`. The API does not name the owner of a key, so the label
 * starts with the Account Name field.
 * @throws z.errors.Error with the fields to correct
 */
async function test(z: ZObject, bundle: Bundle) {
	const target = targetOf(bundle);
	if (target !== undefined && !isForService(target, bundle.authData)) {
		throw new z.errors.Error('The API key is sent only to the address in Base URL', 'InvalidConnection', 400);
	}
	const began = performance.now();
	// A test sends and charges nothing anyway, so its errors do not mention it.
	const client = connect(z, bundle, undefined, (error) => errorMessage(error));
	const check = await client.checkKey();
	if (!check.known) {
		const { error } = check;
		throw new z.errors.Error(
			keyProblem(error, bundle.authData.base_url ?? ''),
			error.status === 401 ? 'AuthenticationError' : error.code,
			error.status,
		);
	}
	if (isBaseUrlRelay(bundle.authData)) {
		const relay = await client.checkRelay();
		if (!relay.found) {
			const { code = 'InvalidConnection', status = 400 } = relay.error;
			throw new z.errors.Error(`${asSentence(errorMessage(relay.error))} ${WHICH_SWITCH}`, code, status);
		}
	}
	const secondsLeft = Math.floor((TIMEOUT_MS - (performance.now() - began)) / 1000);
	await relayClient(z, bundle, Math.max(secondsLeft, 1) * 1000)?.test();
	if (!check.balance) return { account: labelOf(bundle.authData, undefined), note: KEY_WITHOUT_BALANCE };
	const { balance, currency } = check.balance;
	return { account: labelOf(bundle.authData, currency), balance, currency };
}

/** E.g. `Kofi Shop – service.example (GHS)`. */
function labelOf(
	{ base_url = '', account_name = '' }: Bundle['authData'],
	currency: string | null | undefined,
): string {
	const { host } = new URL(base_url.trim());
	const where = currency ? `${host} (${currency})` : host;
	const name = account_name.trim();
	return name === '' ? where : `${name} – ${where}`;
}

/** URL of the request that Zapier's core is authenticating when it runs this test (`renderAuthTemplate`). */
function targetOf(bundle: Bundle): string | undefined {
	const { targetRequest } = Object(bundle) as { readonly targetRequest?: { readonly url?: unknown } | null };
	return typeof targetRequest?.url === 'string' ? targetRequest.url : undefined;
}
