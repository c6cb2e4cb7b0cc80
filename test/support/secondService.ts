import { once } from 'node:events';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';

/**
 * A messaging service with the documented endpoints and shapes of its own: envelopes `ok` and `result`, Laravel's 422
 * bodies and pages, other names and words, failures with status 200, and a list that is no list. It shares no code with
 * the sandbox.
 */
export interface SecondService extends AsyncDisposable {
	/** Ends in `/api/v1/`. */
	readonly baseUrl: string;
	readonly apiKey: string;
	/** Recipients of the messages that were sent. */
	readonly sent: string[];
	/** Method and path of all requests, in order. */
	readonly requests: string[];
	/** Nothing happens while the doctor waits, so it need not wait. */
	readonly pass: () => Promise<void>;
}

const KEY = 'sk_second_0123456789';

/** Contacts of the account. Nothing of them may reach a report. */
const CONTACTS = [
	{ contact_id: 4101, first_name: 'Akosua', last_name: 'Darko', msisdn: '233205559001' },
	{ contact_id: 4102, first_name: 'Yaw', last_name: 'Sarpong', msisdn: '233205559002' },
	{ contact_id: 4103, first_name: 'Adwoa', last_name: 'Poku', msisdn: '233205559003' },
	{ contact_id: 4104, first_name: 'Kojo', last_name: 'Antwi', msisdn: '233205559004' },
	{ contact_id: 4105, first_name: 'Efua', last_name: 'Asante', msisdn: '233205559005' },
];

const TRANSACTIONS = [
	{ uuid: 'w-904', kind: 'CHARGE', value: '-0.0500', balance_after: '87.6100', date: '2026-11-20 10:04:00' },
	{ uuid: 'w-903', kind: 'REFUND', value: '0.0500', balance_after: '87.6600', date: '2026-11-20 10:03:00' },
	{ uuid: 'w-902', kind: 'CHARGE', value: '-0.0500', balance_after: '87.6100', date: '2026-11-20 10:02:00' },
	{ uuid: 'w-901', kind: 'RECHARGE', value: '87.6600', balance_after: '87.6600', date: '2026-11-20 10:01:00' },
];

const PAGE_SIZE = 2;

/**
 * Starts the service on a free port of this machine.
 * @param change changes every body before it leaves, e.g. to plant secrets in it. A text leaves as it is, not as JSON
 */
export async function secondService(change: (body: unknown) => unknown = (body) => body): Promise<SecondService> {
	const sent: string[] = [];
	const requests: string[] = [];
	let url = '';
	const app = new Hono();
	const respond = (status: number, body: unknown) => {
		const changed = change(body);
		return typeof changed === 'string' ? new Response(changed, { status }) : Response.json(changed, { status });
	};
	const required = (field: string) => {
		const text = `The ${field} field is required.`;
		return respond(422, { message: text, errors: { [field]: [text] } });
	};

	app.use(async ({ req }, next) => {
		requests.push(`${req.method} ${req.path.replace('/api/v1', '')}`);
		await next();
	});
	app.use('/api/v1/*', async ({ req }, next) => {
		if (req.header('x-api-key') !== KEY) {
			return respond(401, { ok: false, error: { code: 'TOKEN_INVALID', message: 'Token mismatch for Akosua Darko' } });
		}
		await next();
		return undefined;
	});
	const api = app.basePath('/api/v1');
	api.get('/balance', () =>
		respond(200, { ok: true, result: { wallet: { available_balance: '87.6100', currency_code: 'GHS' } } }),
	);
	// A map by name instead of a list: the client cannot read it.
	api.get('/senderids', () =>
		respond(200, { ok: true, result: { senders: { ADWOASTORE: { approved: true }, YAWMOTORS: { approved: true } } } }),
	);
	api.get('/contacts', ({ req }) => {
		const page = Number(req.query('page') ?? 1);
		const last = Math.ceil(CONTACTS.length / PAGE_SIZE);
		return respond(200, {
			data: CONTACTS.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE),
			links: { next: page < last ? `${url}/api/v1/contacts?page=${page + 1}` : null },
			meta: { current_page: page, last_page: last, per_page: PAGE_SIZE, total: CONTACTS.length },
		});
	});
	api.get('/wallet/transactions', ({ req }) => {
		const offset = Number(req.query('offset') ?? 0);
		const rows = TRANSACTIONS.slice(offset, offset + Number(req.query('limit') ?? 20));
		return respond(200, { ok: true, result: { rows } });
	});
	api.post('/sms/send', async ({ req }) => {
		const { to } = await req.json<{ readonly to?: string }>();
		if (to === undefined) return required('to');
		sent.push(to);
		return respond(200, { ok: true, result: { message: { id: 'm-0007', state: 'ACCEPTED' }, price: '0.0500' } });
	});
	const statusOf = () => {
		const created_at = new Date().toISOString().slice(0, 19).replace('T', ' ');
		return { id: 'm-0007', status: 'DELIVRD', cost: '0.0500', created_at };
	};
	api.get('/sms/:id', ({ req }) => {
		if (req.param('id') === 'm-0007') return respond(200, { ok: true, result: statusOf() });
		return respond(404, { message: 'No query results for model [Message].' });
	});
	api.get('/messages/:id', ({ req, html }) => {
		if (req.param('id') === 'm-0007') return respond(200, { ok: true, result: { ...statusOf(), channel: 'sms' } });
		return html('<h1>Page not found, Akosua</h1>', 404);
	});
	api.get('/wallet/topup/:id', () => respond(200, { ok: false, error: 'Unknown reference' }));
	api.post('/sms/bulk', async ({ req }) => {
		const { to } = await req.json<{ readonly to?: readonly string[] }>();
		if (to === undefined) return required('to');
		sent.push(...to);
		const recipients = to.map((msisdn) => ({ msisdn: msisdn.slice(1), reference: 'm-0008', state: 'ACCEPTED' }));
		return respond(202, {
			ok: true,
			result: { batch: { id: 'b-0001', state: 'QUEUED' }, recipients, price: '0.0500' },
		});
	});
	api.post('/verify/start', async ({ req }) => {
		const { phone } = await req.json<{ readonly phone: string }>();
		sent.push(phone);
		return respond(201, { ok: true, result: { verification: { id: 90_417 }, status: 'PENDING', price: '0.0500' } });
	});
	api.post('/lookup/phone', () =>
		respond(200, { ok: true, result: { is_valid: true, network: 'MTN', country_code: 'GH', lookup_cost: '0.0100' } }),
	);
	api.post('/whatsapp/send', () =>
		respond(400, {
			ok: false,
			error: { code: 'CHANNEL_DISABLED', message: 'WhatsApp is not enabled for Adwoa Store' },
		}),
	);
	api.post('/email/send', async ({ req }) => {
		const { to } = await req.json<{ readonly to?: string }>();
		if (to === undefined) return required('to');
		sent.push(to);
		return respond(202, { ok: true, result: { uuid: 'm-0007', state: 'QUEUED' } });
	});
	api.post('/voice/send', () => respond(200, { ok: false, error: 'Something about voice' }));
	api.post('/verify/check', async ({ req }) => {
		const { verification_id } = await req.json<{ readonly verification_id?: number }>();
		if (verification_id === undefined) return required('verification_id');
		return respond(200, { ok: true, result: { verified: false } });
	});
	api.post('/wallet/topup', () => required('amount'));

	const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false });
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('no TCP port');
	url = `http://127.0.0.1:${address.port}`;
	return {
		baseUrl: `${url}/api/v1/`,
		apiKey: KEY,
		sent,
		requests,
		pass: () => Promise.resolve(),
		[Symbol.asyncDispose]: async () => {
			const closed = once(server, 'close');
			server.close();
			if ('closeAllConnections' in server) server.closeAllConnections();
			await closed;
		},
	};
}
