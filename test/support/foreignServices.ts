import { once } from 'node:events';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';

/** A messaging service with the documented endpoints, in the shapes of another kind of vendor. */
export interface ForeignService extends AsyncDisposable {
	/** Ends in `/api/v1/`. */
	readonly baseUrl: string;
	readonly apiKey: string;
	/** Recipients of the messages, calls and codes that were sent. */
	readonly sent: string[];
	/** Nothing happens while the doctor waits, so it need not wait. */
	readonly pass: () => Promise<void>;
}

/** What happens to a recipient. */
export type Fate = 'sent' | 'declined' | 'dropped' | 'rejected';

/**
 * Recipients by their fate. A message to the declined one fails with status 200 and a result that says so. One to the
 * dropped one fails with status 200 and without a result. The rejected one has a failing status.
 */
export const RECIPIENTS: Readonly<Record<Fate, { readonly phone: string; readonly email: string }>> = {
	sent: { phone: '+233201234567', email: 'efua@mail.example' },
	declined: { phone: '+233200000001', email: 'declined@mail.example' },
	dropped: { phone: '+233200000002', email: 'dropped@mail.example' },
	rejected: { phone: '+233200000003', email: 'rejected@mail.example' },
};

/** The code that each service sends. */
export const RIGHT_CODE = '731846';

/** A message, call or code that was sent. */
interface Sent {
	readonly id: number;
	readonly channel: string;
	readonly to: string;
	/** How often its status was read. */
	reads: number;
}

/** The account of one service. */
interface Account {
	readonly fateOf: (to: string) => Fate;
	readonly send: (channel: string, to: string) => Sent;
	/** Finds a message, call or code by its ID without letters. Each call is a read of its status. */
	readonly read: (id: string) => Sent | undefined;
}

/** How a vendor responds. `to` is a list only for bulk. */
interface Vendor {
	readonly unauthorized: () => Response;
	readonly missing: (field: string) => Response;
	readonly balance: () => Response;
	readonly senderIds: () => Response;
	/** @param query the query's value for a name */
	readonly contacts: (query: (name: string) => string | undefined) => Response;
	readonly transactions: (offset: number, limit: number) => Response;
	readonly send: (channel: 'sms' | 'whatsapp' | 'email' | 'voice', to: string) => Response;
	readonly bulk: (to: readonly string[]) => Response;
	readonly startVerification: (to: string) => Response;
	/** @param id undefined if the verification is unknown */
	readonly checkCode: (id: number | undefined, isRight: boolean) => Response;
	readonly lookup: (to: string) => Response;
	readonly status: (id: string, withChannel: boolean) => Response;
	readonly createTopUp: (amount: number) => Response;
	readonly topUp: (reference: string) => Response;
	readonly addContact: (contact: Readonly<Record<string, unknown>>) => Response;
}

async function start(key: string, vendorFor: (account: Account, url: () => string) => Vendor): Promise<ForeignService> {
	const all: Sent[] = [];
	let url = '';
	const account: Account = {
		fateOf: (to) =>
			(Object.keys(RECIPIENTS) as Fate[]).find(
				(fate) => RECIPIENTS[fate].phone === to || RECIPIENTS[fate].email === to,
			) ?? 'sent',
		send(channel, to) {
			const one = { id: 40_001 + all.length, channel, to, reads: 0 };
			all.push(one);
			return one;
		},
		read(id) {
			const one = all.find((each) => String(each.id) === id.replace(/\D/g, ''));
			if (one) one.reads++;
			return one;
		},
	};
	const vendor = vendorFor(account, () => url);
	const app = new Hono();
	app.use('/api/v1/*', async ({ req }, next) => {
		if (req.header('x-api-key') !== key) return vendor.unauthorized();
		await next();
		return undefined;
	});
	const api = app.basePath('/api/v1');
	/** Has the needed fields, or responds that one is missing. */
	const post = (
		path: string,
		fields: readonly string[],
		respond: (body: Readonly<Record<string, unknown>>) => Response,
	) =>
		api.post(path, async ({ req }) => {
			const body = await req.json<Readonly<Record<string, unknown>>>();
			const missing = fields.find((field) => body[field] === undefined);
			return missing === undefined ? respond(body) : vendor.missing(missing);
		});
	api.get('/balance', vendor.balance);
	api.get('/senderids', vendor.senderIds);
	api.get('/contacts', ({ req }) => vendor.contacts((name) => req.query(name)));
	api.get('/wallet/transactions', ({ req }) =>
		vendor.transactions(Number(req.query('offset') ?? 0), Number(req.query('limit') ?? 20)),
	);
	api.get('/sms/:id', ({ req }) => vendor.status(req.param('id'), false));
	api.get('/messages/:id', ({ req }) => vendor.status(req.param('id'), true));
	api.get('/wallet/topup/:reference', ({ req }) => vendor.topUp(req.param('reference')));
	for (const channel of ['sms', 'whatsapp', 'email', 'voice'] as const) {
		post(`/${channel}/send`, ['to', 'message'], ({ to }) => vendor.send(channel, String(to)));
	}
	post('/sms/bulk', ['to', 'message'], ({ to }) => vendor.bulk(to as readonly string[]));
	post('/verify/start', ['phone'], ({ phone }) => vendor.startVerification(String(phone)));
	post('/verify/check', ['verification_id', 'code'], ({ verification_id, code }) =>
		vendor.checkCode(account.read(String(verification_id))?.id, code === RIGHT_CODE),
	);
	post('/lookup/phone', ['phone'], ({ phone }) => vendor.lookup(String(phone)));
	post('/wallet/topup', ['amount'], ({ amount }) => vendor.createTopUp(Number(amount)));
	post('/contacts', [], vendor.addContact);

	const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false });
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('no TCP port');
	url = `http://127.0.0.1:${address.port}/api/v1/`;
	return {
		baseUrl: url,
		apiKey: key,
		get sent() {
			return all.map(({ to }) => to);
		},
		pass: () => Promise.resolve(),
		[Symbol.asyncDispose]: async () => {
			const closed = once(server, 'close');
			server.close();
			if ('closeAllConnections' in server) server.closeAllConnections();
			await closed;
		},
	};
}

function json(status: number, body: unknown): Response {
	return Response.json(body, { status });
}

/** Kojo's and Adwoa's data must not reach a report. */
const PEOPLE = [
	{ id: 701, first: 'Kojo', last: 'Antwi', phone: '233205559004' },
	{ id: 702, first: 'Adwoa', last: 'Poku', phone: '233205559003' },
	{ id: 703, first: 'Yaw', last: 'Sarpong', phone: '233205559002' },
];

/** Entries of the wallet, the newest first. */
const ENTRIES = [
	{ id: 904, kind: 'debit', amount: -0.05, after: 39.95, day: 20 },
	{ id: 903, kind: 'refund', amount: 0.05, after: 40, day: 19 },
	{ id: 902, kind: 'debit', amount: -0.05, after: 39.95, day: 18 },
	{ id: 901, kind: 'topup', amount: 40, after: 40, day: 17 },
];

/**
 * An international platform: a group and a name for each status, a list of messages for each send, and objects for
 * prices. A number that it declines is a message with the group REJECTED. For an unknown ID it has an empty list.
 */
export function statusGroupService(): Promise<ForeignService> {
	const GROUPS = {
		accepted: { groupId: 1, groupName: 'PENDING', id: 26, name: 'PENDING_ACCEPTED' },
		enroute: { groupId: 1, groupName: 'PENDING', id: 7, name: 'PENDING_ENROUTE' },
		delivered: { groupId: 3, groupName: 'DELIVERED', id: 5, name: 'DELIVERED_TO_HANDSET' },
		declined: { groupId: 5, groupName: 'REJECTED', id: 6, name: 'REJECTED_NETWORK' },
		noCredits: { groupId: 5, groupName: 'REJECTED', id: 12, name: 'REJECTED_NOT_ENOUGH_CREDITS' },
	} as const;
	const statusOf = (group: keyof typeof GROUPS) => ({ ...GROUPS[group], description: `Some words about ${group}` });
	const NO_ERROR = { groupId: 0, groupName: 'OK', id: 0, name: 'NO_ERROR', description: 'No Error', permanent: false };
	const failure = (status: number, messageId: string, text: string, more?: object) =>
		json(status, { requestError: { serviceException: { messageId, text, ...more } } });
	const price = (pricePerMessage: number) => ({ pricePerMessage, currency: 'GHS' });
	const idOf = ({ id }: Sent) => `2034072219640523${id}`;
	return start('sk_groups_0123456789', ({ fateOf, send, read }) => {
		const messageTo = (channel: string, to: string) => {
			const recipient = to.replace('+', '');
			const group = ({ declined: 'declined', dropped: 'noCredits' } as const)[fateOf(to) as string];
			if (group !== undefined) {
				return { to: recipient, messageId: `2034072219640523${to.slice(-4)}9`, status: statusOf(group) };
			}
			const status = statusOf(channel === 'voice' ? 'enroute' : 'accepted');
			return { to: recipient, messageId: idOf(send(channel, to)), status, smsCount: 1, price: price(0.05) };
		};
		return {
			unauthorized: () => failure(401, 'UNAUTHORIZED', 'Invalid login details'),
			missing: (field) =>
				failure(400, 'BAD_REQUEST', 'Bad Request', { validationErrors: { [field]: ['must not be blank'] } }),
			balance: () => json(200, { balance: 39.95, currency: 'GHS' }),
			senderIds: () =>
				json(200, {
					results: [{ senderKey: '6FED0BC540BFADD9B05ED7D89AAC22FA', sender: 'KOFISHOP', registrationState: 'LIVE' }],
					paging: { page: 0, size: 50, totalPages: 1, totalResults: 1 },
				}),
			contacts: () =>
				json(200, {
					persons: PEOPLE.map(({ id, first, last, phone }) => ({
						id,
						firstName: first,
						lastName: last,
						contactInformation: { phone: [{ number: phone }] },
					})),
					page: 1,
					limit: 50,
				}),
			transactions: (offset, limit) =>
				json(200, {
					results: ENTRIES.slice(offset, offset + limit).map(({ id, kind, amount, after, day }) => ({
						transactionId: `TX${id}`,
						transactionType: kind.toUpperCase(),
						price: { amount, currency: 'GHS' },
						balanceAfter: { amount: after, currency: 'GHS' },
						bookedAt: `2026-11-${day}T10:04:00.000+0000`,
					})),
				}),
			send(channel, to) {
				if (fateOf(to) === 'rejected') return failure(400, 'BLACKLISTED', 'Destination is blacklisted');
				const message = messageTo(channel, to);
				if (channel === 'whatsapp') return json(200, { ...message, messageCount: 1 });
				return json(200, { bulkId: 'BULK-2034072219640', messages: [message] });
			},
			bulk(to) {
				if (to.some((one) => fateOf(one) === 'rejected')) {
					return failure(400, 'BLACKLISTED', 'Destination is blacklisted');
				}
				return json(200, { bulkId: 'BULK-2034072219641', messages: to.map((one) => messageTo('sms', one)) });
			},
			startVerification(to) {
				const fate = fateOf(to);
				if (fate === 'rejected') return failure(400, 'BLACKLISTED', 'Destination is blacklisted');
				const about = { to: to.replace('+', ''), ncStatus: 'NC_DESTINATION_REACHABLE' };
				if (fate === 'dropped') return json(200, { ...about, smsStatus: 'MESSAGE_NOT_SENT' });
				if (fate === 'declined') return json(200, { pinId: 49_999, ...about, smsStatus: 'MESSAGE_NOT_SENT' });
				return json(200, { pinId: send('sms', to).id, ...about, smsStatus: 'MESSAGE_SENT' });
			},
			checkCode(id, isRight) {
				if (id === undefined) return failure(404, 'PIN_NOT_FOUND', 'No such PIN');
				if (isRight) return json(200, { pinId: id, verified: true, attemptsRemaining: 0 });
				return json(200, { pinId: id, verified: false, attemptsRemaining: 2, pinError: 'WRONG_PIN' });
			},
			lookup(to) {
				const fate = fateOf(to);
				if (fate === 'rejected') return failure(400, 'BAD_NUMBER', 'Not a number');
				const recipient = to.replace('+', '');
				if (fate !== 'sent') {
					return json(200, { results: [{ to: recipient, status: statusOf('noCredits') }] });
				}
				return json(200, {
					results: [
						{
							to: recipient,
							mccMnc: '62001',
							originalNetwork: { networkName: 'MTN', countryName: 'Ghana', countryPrefix: '233' },
							ported: false,
							status: statusOf('delivered'),
							error: NO_ERROR,
							price: { pricePerLookup: 0.01, currency: 'GHS' },
						},
					],
				});
			},
			status(id, withChannel) {
				const message = read(id.slice(16));
				if (message === undefined) return json(200, { results: [] });
				const { to, reads, channel } = message;
				return json(200, {
					results: [
						{
							bulkId: 'BULK-2034072219640',
							messageId: id,
							to: to.replace('+', ''),
							sentAt: '2026-11-20T10:04:00.000+0000',
							doneAt: '2026-11-20T10:04:02.000+0000',
							smsCount: 1,
							...(withChannel && { channel: channel.toUpperCase() }),
							price: price(0.05),
							status: statusOf(reads < 2 ? 'enroute' : 'delivered'),
							error: NO_ERROR,
						},
					],
				});
			},
			createTopUp: (amount) =>
				json(200, {
					paymentId: 'PAY-1',
					paymentPage: { href: 'https://pay.example/PAY-1' },
					price: { amount, currency: 'GHS' },
					status: { groupName: 'PENDING', name: 'PENDING_PAYMENT' },
				}),
			topUp: () => failure(404, 'PAYMENT_NOT_FOUND', 'No such payment'),
			addContact: () => json(201, { id: 704, firstName: 'Ama', contactInformation: { phone: [] } }),
		};
	});
}

/**
 * An aggregator in Africa: names with capital letters, prices as `GHS 0.0500`, numbers as texts, and statuses of its own
 * for each recipient. A failed send is a list without a successful recipient, or an empty list and a sentence.
 */
export function aggregatorService(): Promise<ForeignService> {
	const failure = (status: number, description: string) => json(status, { status: 'Error', description });
	const cedis = (amount: number) => `GHS ${amount.toFixed(4)}`;
	return start('sk_aggregator_0123456789', ({ fateOf, send, read }) => {
		const recipientOf = (to: string) =>
			fateOf(to) === 'sent'
				? {
						statusCode: 101,
						number: to,
						status: 'Success',
						cost: cedis(0.05),
						messageId: `ATXid_${send('sms', to).id}`,
					}
				: { statusCode: 409, number: to, status: 'UserOptedOut', cost: '0', messageId: 'None' };
		const messageData = (to: readonly string[]) => {
			if (to.some((one) => fateOf(one) === 'dropped')) {
				return json(201, { SMSMessageData: { Message: 'InvalidSenderId', Recipients: [] } });
			}
			const Recipients = to.map(recipientOf);
			const good = Recipients.filter(({ statusCode }) => statusCode === 101).length;
			const Message = `Sent to ${good}/${to.length} Total Cost: ${good > 0 ? `GHS ${(good * 0.05).toFixed(2)}` : '0'}`;
			return json(201, { SMSMessageData: { Message, Recipients } });
		};
		const rejection = () => failure(400, 'The phone number is not supported');
		const others = {
			whatsapp(to: string) {
				const fate = fateOf(to);
				if (fate === 'declined') return json(200, { phoneNumber: to, status: 'UserNotOnWhatsApp', messageId: 'None' });
				if (fate === 'dropped') return json(200, { status: 'Failed', description: 'The product is not active' });
				return json(201, { phoneNumber: to, status: 'Enroute', messageId: `ATWid_${send('whatsapp', to).id}` });
			},
			email(to: string) {
				const fate = fateOf(to);
				if (fate === 'dropped') return json(200, { EmailData: { Message: 'InvalidDomain', Recipients: [] } });
				const recipient =
					fate === 'declined'
						? { address: to, status: 'AddressBlacklisted', cost: '0', messageId: 'None' }
						: { address: to, status: 'Queued', cost: cedis(0.01), messageId: `ATEid_${send('email', to).id}` };
				const Message = `Queued ${fate === 'declined' ? 0 : 1}/1`;
				return json(200, { EmailData: { Message, Recipients: [recipient] } });
			},
			voice(to: string) {
				const fate = fateOf(to);
				if (fate === 'dropped') return json(200, { entries: [], errorMessage: 'Invalid callerId' });
				const entry =
					fate === 'declined'
						? { phoneNumber: to, status: 'InvalidPhoneNumber', sessionId: 'None' }
						: { phoneNumber: to, status: 'Queued', sessionId: `ATVid_${send('voice', to).id}` };
				return json(200, { entries: [entry], errorMessage: 'None' });
			},
		};
		return {
			unauthorized: () => new Response('The supplied authentication is invalid', { status: 401 }),
			missing: (field) => failure(400, `Request is missing required form field '${field}'`),
			balance: () => json(200, { UserData: { balance: 'GHS 39.95' } }),
			senderIds: () => json(200, { UserData: { senderIds: [{ senderId: 'KOFISHOP', senderState: 'Active' }] } }),
			contacts: () =>
				json(200, {
					ContactsData: {
						Contacts: PEOPLE.map(({ id, first, last, phone }) => ({
							contactId: String(id),
							contactName: `${first} ${last}`,
							phoneNumber: `+${phone}`,
						})),
					},
				}),
			transactions: (offset, limit) =>
				json(200, {
					status: 'Success',
					responses: ENTRIES.slice(offset, offset + limit).map(({ id, kind, amount, after, day }) => ({
						transactionId: `ATPid_${id}`,
						category: { debit: 'WalletDebit', refund: 'WalletRefund', topup: 'WalletTopup' }[kind],
						value: cedis(amount),
						walletBalance: cedis(after),
						transactionDate: `${day}.11.2026 10:04:00`,
					})),
				}),
			send(channel, to) {
				if (fateOf(to) === 'rejected') return rejection();
				return channel === 'sms' ? messageData([to]) : others[channel](to);
			},
			bulk: (to) => (to.some((one) => fateOf(one) === 'rejected') ? rejection() : messageData(to)),
			startVerification(to) {
				const fate = fateOf(to);
				if (fate === 'rejected') return rejection();
				if (fate === 'dropped') return json(200, { status: 'Failed', description: 'The product is not active' });
				if (fate === 'declined') return json(200, { status: 'UserOptedOut', verificationRef: 'None' });
				const verificationRef = String(send('sms', to).id);
				return json(201, { status: 'CodeSent', verificationRef, transactionFee: cedis(0.05) });
			},
			checkCode(id, isRight) {
				if (id === undefined) return json(200, { status: 'Failed', description: 'No such verification' });
				return json(200, { status: 'Success', verificationResult: isRight ? 'CodeMatched' : 'CodeMismatch' });
			},
			lookup(to) {
				const fate = fateOf(to);
				if (fate === 'rejected') return rejection();
				if (fate === 'dropped') return json(200, { status: 'Failed', description: 'The product is not active' });
				if (fate === 'declined') return json(200, { status: 'InsufficientCredit', totalCost: '0', responses: [] });
				return json(200, {
					status: 'Success',
					totalCost: cedis(0.01),
					responses: [{ phoneNumber: to, validity: 'Valid', networkName: 'MTN', countryName: 'Ghana' }],
				});
			},
			status(id, withChannel) {
				const message = read(id);
				if (message === undefined) return json(200, { status: 'Failure', errorMessage: 'No message has this id' });
				const { to, reads, channel } = message;
				return json(200, {
					id,
					...(withChannel && { channel }),
					phoneNumber: to,
					networkCode: '62001',
					retryCount: '0',
					status: reads < 2 ? 'Enroute' : 'Success',
					cost: cedis(0.05),
				});
			},
			createTopUp: (amount) =>
				json(201, { status: 'PendingConfirmation', transactionId: 'ATPid_905', value: cedis(amount) }),
			topUp: () => json(200, { status: 'Failure', errorMessage: 'No transaction has this id' }),
			addContact: () => json(201, { status: 'Success', contactId: '704' }),
		};
	});
}

/**
 * A service in the shapes of JSON:API: each record has a type, an ID and attributes, and each error an entry in `errors`. A
 * declined message is a record in the state `barred`; a dropped one is an error with status 200.
 */
export function resourceService(): Promise<ForeignService> {
	let requests = 0;
	const meta = () => ({ request_id: `req-${++requests}` });
	const errors = (status: number, code: string, title: string, detail: string, said = status) =>
		json(status, { errors: [{ status: String(said), code, title, detail }], meta: meta() });
	const money = (amount: number) => ({ amount: amount.toFixed(4), currency: 'GHS' });
	const record = (type: string, id: number | string, attributes: object) => ({ type, id: String(id), attributes });
	const one = (status: number, data: unknown, more?: object) => json(status, { data, ...more, meta: meta() });
	const rejected = () => errors(422, 'recipient_opted_out', 'Unprocessable', 'The recipient does not want messages.');
	const dropped = () => errors(200, 'wallet_empty', 'Payment Required', 'The wallet is empty.', 402);
	const charged = (state: string, to: string) => ({
		state,
		recipient: to,
		charge: money(0.05),
		accepted_at: '2026-11-20T10:04:00Z',
	});
	const declined = (to: string) => ({ state: 'barred', recipient: to, barring: { reason: 'number_barred' } });
	return start('sk_resources_0123456789', ({ fateOf, send, read }, url) => {
		const messageTo = (channel: string, to: string) =>
			fateOf(to) === 'declined'
				? record('messages', 49_999, declined(to))
				: record('messages', send(channel, to).id, charged('in_transit', to));
		return {
			unauthorized: () => errors(401, 'token_unknown', 'Unauthorized', 'The token is unknown.'),
			missing: (field) => errors(422, 'attribute_missing', 'Unprocessable', `The ${field} field is required.`),
			balance: () => one(200, record('wallets', 12, { funds: money(39.95), owner: { name: 'Adwoa Store' } })),
			senderIds: () =>
				one(200, [
					record('sender-names', 3, { name: 'KOFISHOP', state: 'approved', approved_at: '2026-10-02T08:00:00Z' }),
				]),
			contacts(query) {
				const page = Number(query('page[number]') ?? 1);
				const shown = PEOPLE.slice(page * 2 - 2, page * 2);
				const next = page * 2 < PEOPLE.length ? `${url()}contacts?page[number]=${page + 1}` : null;
				const rows = shown.map(({ id, first, last, phone }) =>
					record('contacts', id, { given_name: first, family_name: last, phone_number: `+${phone}` }),
				);
				return one(200, rows, { links: { next } });
			},
			transactions: (offset, limit) =>
				one(
					200,
					ENTRIES.slice(offset, offset + limit).map(({ id, kind, amount, after, day }) =>
						record('ledger-entries', id, {
							entry_kind: kind,
							sum: money(amount),
							funds_after: money(after),
							occurred_at: `2026-11-${day}T10:04:00Z`,
						}),
					),
				),
			send(channel, to) {
				const fate = fateOf(to);
				if (fate === 'rejected') return rejected();
				return fate === 'dropped' ? dropped() : one(fate === 'declined' ? 200 : 202, messageTo(channel, to));
			},
			bulk(to) {
				const fates = to.map(fateOf);
				if (fates.includes('rejected')) return rejected();
				if (fates.includes('dropped')) return dropped();
				const included = to.map((recipient) => messageTo('sms', recipient));
				const state = fates.every((fate) => fate === 'declined') ? 'barred' : 'in_progress';
				const data = record('batches', 77, { state, recipients_count: to.length, charge: money(0.05) });
				return one(202, data, { included });
			},
			startVerification(to) {
				const fate = fateOf(to);
				if (fate === 'rejected') return rejected();
				if (fate === 'dropped') return dropped();
				if (fate === 'declined') return one(200, record('verifications', 49_999, declined(to)));
				return one(201, record('verifications', send('sms', to).id, charged('awaiting_code', to)));
			},
			checkCode(id, isRight) {
				if (id === undefined) return errors(404, 'resource_missing', 'Not Found', 'There is no such verification.');
				return one(200, record('verification-checks', id, { check: isRight ? 'approved' : 'denied' }));
			},
			lookup(to) {
				const fate = fateOf(to);
				if (fate === 'rejected') return rejected();
				if (fate === 'dropped') return dropped();
				if (fate === 'declined') return one(200, record('lookups', to, { state: 'barred' }));
				return one(
					200,
					record('lookups', to, {
						is_reachable: true,
						carrier: { name: 'MTN' },
						country: { code: 'GH', name: 'Ghana' },
						charge: money(0.01),
					}),
				);
			},
			status(id, withChannel) {
				const message = /^\d+$/.test(id) ? read(id) : undefined;
				if (message === undefined) return errors(404, 'resource_missing', 'Not Found', 'There is no such message.');
				const { to, reads, channel } = message;
				const attributes = charged(reads < 2 ? 'in_transit' : 'delivered', to);
				return one(200, record('messages', id, { ...attributes, ...(withChannel && { channel }) }));
			},
			createTopUp: (amount) =>
				one(201, record('top-ups', 'tu-1', { state: 'awaiting_payment', sum: money(amount) }), {
					links: { checkout: 'https://pay.example/tu-1' },
				}),
			topUp: () => errors(404, 'resource_missing', 'Not Found', 'There is no such top-up.'),
			addContact: () => one(201, record('contacts', 704, { given_name: 'Ama' })),
		};
	});
}
