import { z } from 'zod/v4';
import { endpoints } from '../../shared/contract';
import { anyString, PHONE, run, type TestSandbox } from '../support/testSandbox';

const sentBody = z.looseObject({ message_id: z.string() });
const contactsBody = z.array(z.looseObject({ id: z.string() }));

const sends = [
	['whatsapp', 'whatsapp/send', { to: PHONE, message: 'Ready' }, 0.08],
	['email', 'email/send', { to: 'ama@example.com', subject: 'Order', message: 'Ready' }, 0.01],
	['voice', 'voice/send', { to: PHONE, message: 'Ready' }, 0.2],
] as const;

describe('other channels', () => {
	it.each(sends)('%s: sends, charges and delivers', async (channel, path, body, cost) => {
		await using sandbox = await run();
		const response = await sandbox.api('POST', path, body);
		expect(response).toMatchObject({
			status: 200,
			body: {
				success: true,
				message_id: anyString,
				status: 'submitted',
				cost,
				billed_via: 'wallet',
				balance: 40 - cost,
			},
		});
		await sandbox.advance(1000);
		const { message_id } = sentBody.parse(response.body);
		expect((await sandbox.api('GET', `messages/${message_id}`)).body).toMatchObject({
			channel,
			status: 'delivered',
			cost,
		});
		expect((await sandbox.api('GET', `sms/${message_id}`)).status).toBe(404);
	});

	const needingSetUp = endpoints.filter(({ errors }) => errors.includes('channel_not_set_up'));
	it.each(needingSetUp.map(({ id, path, example }) => [id, path, example.input] as const))(
		'%s: is rejected and charges nothing if it is not set up',
		async (id, path, input) => {
			await using sandbox = await run();
			const { status } = await sandbox.control('PUT', 'settings', { [`${id.split('.')[0]}_set_up`]: false });
			expect(status).toBe(200);
			expect(await sandbox.api('POST', path.slice(1), input)).toMatchObject({
				status: 422,
				body: { code: 'channel_not_set_up' },
			});
			expect((await sandbox.wallet()).balance).toBe(40);
			expect((await sandbox.control('GET', 'messages')).body).toEqual([]);
		},
	);

	it.each(['whatsapp/send', 'voice/send'])('%s: rejects an opted-out number', async (path) => {
		await using sandbox = await run();
		await sandbox.control('POST', 'opt-outs', { number: PHONE });
		expect(await sandbox.api('POST', path, { to: PHONE, message: 'x' })).toMatchObject({
			status: 422,
			body: { code: 'opted_out' },
		});
		await sandbox.control('DELETE', `opt-outs/${PHONE}`);
		expect((await sandbox.api('POST', path, { to: PHONE, message: 'x' })).status).toBe(200);
	});

	it('use no SMS credits', async () => {
		await using sandbox = await run();
		await sandbox.control('POST', 'packages', { credits: 5 });
		const response = await sandbox.api('POST', 'whatsapp/send', { to: PHONE, message: 'x' });
		expect(response.body).toMatchObject({ billed_via: 'wallet' });
		expect((await sandbox.control('GET', 'packages')).body).toMatchObject([{ credits_left: 5 }]);
	});

	it('refund a bounced email', async () => {
		await using sandbox = await run();
		await sandbox.api('POST', 'email/send', { to: 'bounce@example.com', subject: 's', message: 'm' });
		expect((await sandbox.wallet()).balance).toBe(39.99);
		await sandbox.advance(1000);
		expect((await sandbox.wallet()).balance).toBe(40);
	});
});

describe('lookup', () => {
	it.each([
		['+233241234567', { valid: true, carrier: 'MTN Ghana', country: 'GH' }],
		['+14155552671', { valid: true, carrier: null, country: 'US' }],
		['+233990000001', { valid: false, carrier: null, country: 'GH' }],
		['+233990000000', { valid: true, carrier: 'Sandbox', country: 'GH' }],
	])('%s: returns the known details, and charges', async (phone, known) => {
		await using sandbox = await run();
		const response = await sandbox.api('POST', 'lookup/phone', { phone });
		expect(response).toMatchObject({
			status: 200,
			body: { success: true, phone, ...known, cost: 0.01, balance: 39.99 },
		});
		expect(await sandbox.wallet()).toMatchObject({
			transactions: [{ type: 'debit', amount: -0.01 }, { type: 'topup' }],
		});
	});

	it('is rejected if the balance is empty', async () => {
		await using sandbox = await run();
		await sandbox.control('POST', 'wallet/adjust', { amount: -40 });
		expect(await sandbox.api('POST', 'lookup/phone', { phone: PHONE })).toMatchObject({
			status: 422,
			body: { code: 'insufficient_balance' },
		});
	});
});

describe('contacts', () => {
	/** Removes those of a new sandbox. */
	async function removeContacts(sandbox: TestSandbox): Promise<void> {
		const { body } = await sandbox.control('GET', 'contacts');
		for (const { id } of contactsBody.parse(body)) await sandbox.control('DELETE', `contacts/${id}`);
	}

	it('has three contacts in a new sandbox, also after a reset', async () => {
		await using sandbox = await run();
		const names = async () =>
			z.array(z.object({ name: z.string() })).parse((await sandbox.control('GET', 'contacts')).body);
		expect(await names()).toEqual([{ name: 'Ama Mensah' }, { name: 'Kofi Boateng' }, { name: 'Esi Owusu' }]);
		await removeContacts(sandbox);
		expect(await names()).toEqual([]);
		await sandbox.control('POST', 'reset');
		expect(await names()).toHaveLength(3);
	});

	it('are stored with every field', async () => {
		await using sandbox = await run();
		await removeContacts(sandbox);
		const contact = { name: 'Ama', phone: PHONE, city: 'Kumasi', orders: 3, vip: true };
		expect(await sandbox.api('POST', 'contacts', contact)).toMatchObject({
			status: 200,
			body: { success: true, id: anyString, ...contact },
		});
		expect((await sandbox.api('GET', 'contacts')).body).toMatchObject({ success: true, data: [contact] });
	});

	it('reject a number that another contact has', async () => {
		await using sandbox = await run();
		await removeContacts(sandbox);
		await sandbox.api('POST', 'contacts', { phone: PHONE });
		expect(await sandbox.api('POST', 'contacts', { phone: PHONE, name: 'Kofi' })).toMatchObject({
			status: 422,
			body: { code: 'validation' },
		});
		const { body } = await sandbox.control('GET', 'contacts');
		expect(body).toMatchObject([{ phone: PHONE, name: null }]);
		await sandbox.control('DELETE', `contacts/${contactsBody.parse(body)[0]?.id}`);
		expect((await sandbox.api('GET', 'contacts')).body).toMatchObject({ data: [] });
	});
});

describe('WhatsApp webhook', () => {
	it('stores an inbound message and lets the chatbot reply', async () => {
		await using sandbox = await run();
		await sandbox.control('POST', `phones/${PHONE}/texts`, {
			to: '+233301234567',
			message: 'Ready?',
			channel: 'whatsapp',
		});
		await sandbox.control('POST', 'settle');
		expect((await sandbox.control('GET', 'inbox')).body).toMatchObject([
			{ channel: 'whatsapp', from: PHONE, message: 'Ready?' },
		]);
		expect((await sandbox.control('GET', 'messages')).body).toMatchObject([
			{ channel: 'whatsapp', to: PHONE, cost: 0.08 },
		]);
		expect((await sandbox.wallet()).balance).toBe(39.92);
	});

	it('rejects messages without the chatbot add-on', async () => {
		await using sandbox = await run();
		await sandbox.control('PUT', 'settings', { chatbot_set_up: false });
		const response = await fetch(`${sandbox.sandbox.url}/webhooks/whatsapp/inbound`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ from: PHONE, message: 'x' }),
		});
		expect(response.status).toBe(422);
		expect((await sandbox.control('GET', 'inbox')).body).toEqual([]);
	});
});
