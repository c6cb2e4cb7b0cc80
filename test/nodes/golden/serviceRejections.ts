import type { ErrorCode } from '../../../shared';
import { endpointOf } from '../../support/operationCases';
import { calls, charging, nameOf } from './calls';
import type { GoldenHarness } from './goldenHarness';

const chapter = 'The service rejects';
const everywhere = Object.keys(calls);
const unreachable = '+233990000001';
const optedOut = '+233990000009';

/** Operations whose endpoint expects a rejection. */
const expecting = (code: ErrorCode) => everywhere.filter((id) => endpointOf(id)?.errors.includes(code));
const byId = expecting('not_found');

/** Records every documented error (docs/api.md#errors), for each operation that can receive it. */
export async function recordServiceRejections(harness: GoldenHarness): Promise<void> {
	const { record, control, at, engine, note } = harness;
	const scripted = async (failure: string, id: string, status: number, body: unknown, headers = {}) => {
		const endpoint = endpointOf(id)?.id;
		await control.fault({ endpoint, kind: 'answer', status, body, headers });
		await record(chapter, failure, id);
		await control.reset();
	};

	for (const id of everywhere) {
		await at({ apiKey: 'sk_sandbox_unknown' }, () => record(chapter, 'Invalid key (401)', id));
	}
	await recordRevokedKey(harness);
	await control.emptyWallet();
	for (const id of charging) await record(chapter, 'Insufficient balance (422)', id);
	await control.reset();
	for (const id of expecting('opted_out')) {
		const field = 'phone' in (calls[id] ?? {}) ? 'phone' : 'to';
		await record(chapter, 'Recipient has opted out (422)', id, { parameters: { [field]: optedOut } });
		await record(chapter, 'Failed send (422)', id, { parameters: { [field]: unreachable } });
	}
	await scripted('Failed send (422)', 'email.send', 422, {
		code: 'failed_send',
		message: 'The mailbox is full.',
	});
	for (const name of ['PENDINGCO', 'UNKNOWNCO']) {
		const parameters = { senderId: { __rl: true, mode: 'name', value: name } };
		for (const id of expecting('sender_not_approved')) {
			await record(chapter, `Sender ID is not approved (422): ${name}`, id, { parameters });
		}
	}
	for (const id of expecting('channel_not_set_up')) {
		const setting = `${endpointOf(id)?.id.split('.')[0]}_set_up`;
		await control.settings({ [setting]: false });
		await record(chapter, 'Channel is not set up (422)', id);
		await control.settings({ [setting]: true });
	}
	await scripted('Email domain is not verified (422)', 'email.send', 422, {
		code: 'domain_not_verified',
		message: 'The domain kofishop.example is not verified',
	});
	await scripted('Email domain is not verified (422)', 'email.send', 422, {
		error: 'Sender address hello@kofishop.example has not been verified.',
	});

	await record(chapter, 'Validation (422)', 'wallet.createTopUp', { parameters: { amount: 20_000 } });
	await record(chapter, 'Validation (422)', 'wallet.createTopUp', { parameters: { amount: 5.005 } });
	await engine.run({ parameters: { resource: 'contact', operation: 'create', ...calls['contact.create'] } });
	await record(chapter, 'Validation (422)', 'contact.create');
	for (const id of [...charging, 'contact.create', 'wallet.createTopUp', 'verification.check']) {
		const body = { message: 'The given data was invalid.', errors: { field: ['The field is not accepted here.'] } };
		await scripted('Validation (422), with a list of fields', id, 422, body);
	}
	for (const id of byId) await record(chapter, 'Not found (404)', id);
	for (const id of everywhere.filter((one) => !byId.includes(one))) {
		await scripted('An unknown path (404)', id, 404, { message: 'Not Found' });
	}
	for (const id of everywhere) {
		const body = { code: 'rate_limited', message: 'Too many requests.' };
		await scripted('Rate limit (429), for two minutes', id, 429, body, { 'Retry-After': '120' });
	}
	for (const id of everywhere) {
		const endpoint = endpointOf(id)?.id;
		const body = { code: 'server_error', message: 'Something broke here' };
		await control.fault({ endpoint, kind: 'answer', status: 500, times: 4, body });
		await record(chapter, 'Server error (500)', id);
		await control.reset();
	}
	for (const id of ['sms.send', 'wallet.getBalance']) {
		await scripted('Forbidden (403)', id, 403, { message: 'This key may not do that' });
		await scripted('A rejection without a message (422)', id, 422, '');
		await scripted('A proxy requires a login (407)', id, 407, '<h1>Proxy Authentication Required</h1>');
	}
	await recordCodes(harness);
	await recordUnclearResponses(scripted);
	note(chapter, 'A list cannot be read', 'Sender ID: From List', ...(await listError(harness, 'searchSenderIds')));
	note(chapter, 'A list cannot be read', 'To: From Contacts', ...(await listError(harness, 'searchContacts')));
}

/** Records a key that is revoked during a run. */
async function recordRevokedKey({ record, control }: GoldenHarness): Promise<void> {
	const revokeAfterOne = async (endpoint: string) => {
		const body = { code: 'invalid_key', message: 'This API key has been revoked.' };
		await control.reset();
		await control.fault({ endpoint, kind: 'delay', milliseconds: 0 });
		await control.fault({ endpoint, kind: 'answer', status: 401, body });
	};
	const items = ['+233201234561', '+233201234562', '+233201234563'].map((to) => ({ to }));
	const parameters = { to: '={{ $json.to }}', options: { parallelRequests: 1 } };
	for (const onError of ['stopWorkflow', 'continueRegularOutput'] as const) {
		await revokeAfterOne('sms.send');
		const where = `${nameOf('sms.send')} (${onError})`;
		await record(chapter, 'Key revoked during the run (401)', 'sms.send', {
			parameters,
			items,
			settings: { onError },
			where,
		});
	}
	await revokeAfterOne('sms.sendBulk');
	const bulk = { ...parameters, options: { parallelRequests: 1, recipientsPerRequest: 1 } };
	await record(chapter, 'Key revoked during the run (401)', 'sms.sendBulk', { parameters: bulk, items });
	await control.reset();
}

/** Records the results of a code check: data, with a reason. */
async function recordCodes({ control, engine, record }: GoldenHarness): Promise<void> {
	for (const verification_shape of ['answer', 'refusal']) {
		await control.reset();
		await control.settings({ verification_shape });
		const started = await engine.run({
			parameters: { resource: 'verification', operation: 'start', ...calls['verification.start'] },
		});
		const verificationId = Number(started.outputs[0]?.[0]?.json.verification_id);
		const check = async (failure: string, code: string) =>
			await record(
				chapter,
				`${failure} (${verification_shape === 'refusal' ? 'response 422' : 'response 200'})`,
				'verification.check',
				{
					parameters: { verificationId, code },
				},
			);
		await check('Code: wrong', '000000');
		await check('Code: expired', '999999');
		for (let attempt = 0; attempt < 4; attempt++) {
			await engine.run({
				parameters: { resource: 'verification', operation: 'check', verificationId, code: '000000' },
			});
		}
		await check('Code: too many tries', '000000');
	}
	await control.reset();
	await control.settings({ verification_shape: 'answer' });
}

type Scripted = (failure: string, id: string, status: number, body: unknown) => Promise<void>;

/** Records responses with status 200 that do not confirm success. */
async function recordUnclearResponses(scripted: Scripted): Promise<void> {
	await scripted('Code: success alone (response 200)', 'verification.check', 200, { success: true });
	await scripted('Code: no result (response 200)', 'verification.check', 200, { status: 'pending' });
	const disabled = { message: 'WhatsApp is not enabled on your account' };
	await scripted('A failure in the message (response 200)', 'whatsapp.send', 200, disabled);
	const inside = { sms: { success: false, id: 'msg_1', error: 'Insufficient balance' } };
	await scripted('A failure in an envelope (response 200)', 'sms.send', 200, inside);
	const state = { success: true, message: 'Message queued', results: [{ message_id: 'msg_1', status: 'blocked' }] };
	await scripted('A failing status (response 200)', 'sms.send', 200, state);
	await scripted('No sign of success (response 200)', 'voice.send', 200, {});
	await scripted('No sign of success (response 200)', 'sms.sendBulk', 200, {});
	for (const id of ['sms.sendBulk', 'sms.sendLater']) {
		await scripted('One number skipped, not said which (response 200)', id, 200, {
			batch_id: 'b',
			message: '1 failed',
		});
		await scripted('No number accepted (response 200)', id, 200, { accepted: 0, rejected: 1 });
	}
	await scripted('An error beside an empty list (response 200)', 'wallet.getManyTransactions', 200, {
		error: 'The list has moved',
		data: [],
	});
	await scripted('A web page (404)', 'message.get', 404, '<html><h1>Not Found</h1></html>');
}

async function listError({ at, engine }: GoldenHarness, method: string): Promise<string[]> {
	return await at({ apiKey: 'sk_sandbox_unknown' }, async () => {
		const error: unknown = await engine.search(method).catch((thrown: unknown) => thrown);
		const { message, description } = Object(error) as { message: string; description: string };
		return [message, description];
	});
}
