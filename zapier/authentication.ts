import type { Authentication, Bundle, ZObject } from 'zapier-platform-core';
import { ContractError, type ServiceError } from '../shared';
import { isForService } from './runtime/apiKey';
import { errorText } from './runtime/errors';
import { connect } from './runtime/perform';

/** The account of a Zap: where the service is, the key, and the header that carries it. */
export const authentication = {
	type: 'custom',
	fields: [
		{
			key: 'base_url',
			label: 'Base URL',
			type: 'string',
			required: true,
			placeholder: 'https://your-service.example/api/v1/',
			helpText: 'Address of the service, ending in `/api/v1/`. It must begin with `https://`.',
			isNoSecret: true,
		},
		{
			key: 'api_key',
			label: 'API Key',
			type: 'password',
			required: true,
			placeholder: 'sk_...',
			helpText: 'Created in the dashboard of your account; begins with `sk_`.',
		},
		{
			key: 'account_name',
			label: 'Account Name',
			type: 'string',
			required: false,
			placeholder: 'Kofi Shop',
			helpText: 'Your name for this account, which its label shows, for example `Kofi Shop`.',
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
				'Header that carries the key. The service takes both, so leave it unless something in between needs the other.',
			isNoSecret: true,
		},
	],
	test,
	connectionLabel: '{{account}}',
} satisfies Authentication;

/**
 * Tests a connection by asking for the wallet balance. A response in which the balance is not found still proves the key.
 * @returns the balance, and as `account` what tells connections apart: the service does not say whose key it is, so a
 * person names the account
 * @throws z.errors.Error that says what to correct
 */
async function test(z: ZObject, bundle: Bundle) {
	const target = targetOf(bundle);
	if (target !== undefined && !isForService(target, bundle.authData)) {
		throw new z.errors.Error('The API key goes only to the address in Base URL', 'InvalidConnection', 400);
	}
	const check = await connect(z, bundle).checkKey();
	if (!check.known) {
		const { error } = check;
		throw new z.errors.Error(diagnose(error), error.status === 401 ? 'AuthenticationError' : error.code, error.status);
	}
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

/** The request for which Zapier's core runs this test to see what authenticates it (`renderAuthTemplate`). */
function targetOf(bundle: Bundle): string | undefined {
	const { targetRequest } = Object(bundle) as { readonly targetRequest?: { readonly url?: unknown } | null };
	return typeof targetRequest?.url === 'string' ? targetRequest.url : undefined;
}

const KEY_WITHOUT_BALANCE =
	'The key works. The balance was not found in the response of the service, so steps that read the balance will fail.';

function diagnose(error: ServiceError): string {
	// Not the service: some other website, a redirect, or a path that the service does not have.
	const { status = 0 } = error;
	const elsewhere = error instanceof ContractError || status === 404 || (status >= 300 && status < 400);
	if (elsewhere) return `Base URL answers, but not as the service does: ${error.message}. It should end in /api/v1/`;
	return errorText(error);
}
