import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { closedPort } from '../support/closedPort';
import { runDoctor, type DoctorRun } from '../support/runDoctor';
import { secondService } from '../support/secondService';

const PAID = ['--send-to', '+233201234567', '--max-spend', '0.1', '--prices', 'sms=0.05', '--sender', 'KOFISHOP'];

/** The expected result of a row, written by hand: verdict, and texts in the columns of the service and of the client. */
type Expected = readonly [verdict: string, service?: RegExp, reading?: RegExp];

const BALANCE =
	/GET \/balance: HTTP 200 with `\{ ok: true, result: \{ wallet: \{ available_balance: number as text, currency_code: text \} \} \}`/;
const SENDERS = /\{ senders: \{ field_1: \{ approved: true \}, field_2: \{ approved: true \} \} \}/;
const CONTACT =
	/\{ data: \[\{ contact_id: number, first_name: text, last_name: text, msisdn: number as text \}\], links: \{ next: URL \}/;
const ROWS =
	/\{ rows: \[\{ uuid: text, kind: text, value: number as text, balance_after: number as text, date: time \}\] \}/;
const SENT =
	/POST \/sms\/send: HTTP 200 with `\{ ok: true, result: \{ message: \{ id: text, state: text \}, price: number as text \} \}`/;
const UNKNOWN: Expected = ['not attempted', /^Unknown\.$/, /^Not attempted\.$/];

const EXPECTED: Readonly<Record<string, Expected>> = {
	Envelopes: ['ok', BALANCE, /`message_id` of POST \/sms\/send at `result\.message\.id`/],
	'Amounts and IDs': ['ok', ROWS, /`result\.wallet\.available_balance`.*IDs at.*`data\[\]\.contact_id` of \/contacts/],
	'List envelopes': ['unreadable', SENDERS, /\/senderids cannot be read as a list; \/contacts is a list/],
	'Limit and offset': ['ok', /^Follows `limit` and `offset`\.$/],
	'Pages of contacts and sender IDs': [
		'unreadable',
		/\/contacts has several pages/,
		/Reads all of \/contacts; \/senderids cannot/,
	],
	'Timestamp names': ['ok', /created_at: time, channel: text/],
	'Time zone': ['ok', /in UTC/],
	'Later versions': UNKNOWN,
	'Error fields': [
		'unreadable',
		/HTTP 422 with `\{ message: text, errors: \{ to: \[text\] \} \}`/,
		/^Code at `error\.code`; Message at `error\.message`; `message`; .*No reason in \/messages\/\{id\}$/,
	],
	'Error codes': [
		'differs',
		/^Words in error bodies: `TOKEN_INVALID`; `CHANNEL_DISABLED`\.$/,
		/\/messages\/\{id\}, \/voice\/send: no known meaning/,
	],
	'Unknown IDs': [
		'differs',
		/GET \/messages\/\{id\}: HTTP 404 with a web page/,
		/\/messages\/\{id\}: rejected, but not as an unknown ID/,
	],
	'Channels that are not set up': ['ok', /HTTP 400/, /not set up: \/whatsapp\/send\.$/],
	'Rate limits': UNKNOWN,
	'Failures with status 200': [
		'ok',
		/GET \/wallet\/topup\/\{reference\}, POST \/voice\/send: HTTP 200 with `\{ ok: false, error: text \}`/,
		/^\/wallet\/topup\/\{reference\}, \/voice\/send: rejected; \/verify\/check: a result$/,
	],
	'Responses without a message ID': ['ok', SENT, /^Message ID at `result\.message\.id`$/],
	'Bulk responses': UNKNOWN,
	'Bulk size': UNKNOWN,
	'The from field': UNKNOWN,
	'Message statuses': ['ok', /GET \/messages\/\{id\}: HTTP 200/, /^Every status is a known one\.$/],
	'Other channels': UNKNOWN,
	'Verification IDs': UNKNOWN,
	'Code check responses': ['ok', /\{ ok: true, result: \{ verified: false \} \}/, /^A wrong code is not valid$/],
	'Verification states': UNKNOWN,
	'Lookup cost': UNKNOWN,
	'Balance response': [
		'ok',
		BALANCE,
		/`balance` at `result\.wallet\.available_balance`; `currency` at `result\.wallet\.currency_code`$/,
	],
	'Transaction fields': ['ok', ROWS, /`id` at `result\.rows\[\]\.uuid`.*`type` at `result\.rows\[\]\.kind`/],
	'Top-up amounts': ['ok', /errors: \{ amount: \[text\] \}/],
	'Top-up states': UNKNOWN,
	'Wallet transactions in triggers': ['ok', ROWS, /^All types are known; The order is known$/],
	'Sender ID fields': ['unreadable', SENDERS, /^It cannot be read\.$/],
	'Contact fields': [
		'ok',
		CONTACT,
		/`phone` at `data\[\]\.msisdn`.*`name` at `data\[\]\.first_name`; `name` at `data\[\]\.last_name`$/,
	],
	'Callback retries and signatures': UNKNOWN,
	'Delivery receipt payloads': UNKNOWN,
	'Low-balance alert payloads': UNKNOWN,
	'Inbound WhatsApp payloads': UNKNOWN,
	'Opt-out keywords': UNKNOWN,
	'Inbound authentication': UNKNOWN,
	'Inbound responses': UNKNOWN,
};

describe('a run against a service with other shapes', () => {
	let run: DoctorRun;
	let sent: readonly string[];
	beforeAll(async () => {
		await using service = await secondService();
		run = await runDoctor(service, ...PAID);
		sent = service.sent;
	});

	it('has a row for every heading', () => {
		expect([...run.rows.keys()]).toEqual(Object.keys(EXPECTED));
	});

	it.each(Object.entries(EXPECTED))(
		'finds the right result for %s',
		(heading, [verdict, service = /./, reading = /./]) => {
			const row = run.rows.get(heading);
			expect(row).toMatchObject({ verdict });
			expect(row?.service).toMatch(service);
			expect(row?.reading).toMatch(reading);
		},
	);

	it('sends one message and ends with the exit code for differences', () => {
		expect(sent).toEqual(['+233201234567']);
		expect(run.code).toBe(1);
	});
});

/** The rows that only more channels and webhooks show. All of them are read. */
const MORE: Readonly<Record<string, Expected>> = {
	'Bulk responses': [
		'ok',
		/HTTP 202 with `\{ ok: true, result: \{ batch: \{ id: text, state: text \}, recipients: \[/,
		/`results\.to` at `result\.recipients\[\]\.msisdn`/,
	],
	'Other channels': ['ok', /POST \/email\/send: HTTP 202/],
	'Verification IDs': ['ok', /HTTP 201/, /`verification_id` at `result\.verification\.id`/],
	'Verification states': ['ok', /HTTP 201/, /`status` at `result\.status`/],
	'Lookup cost': [
		'ok',
		/lookup_cost: number as text/,
		/`cost` at `result\.lookup_cost`; `valid` at `result\.is_valid`/,
	],
	'Code check responses': ['ok', /verified: false/, /^A wrong code is not valid$/],
	'Delivery receipt payloads': ['ok', /^A form `\{ MessageId: text, DeliveryStatus: text, To: number as text \}`$/],
	'Low-balance alert payloads': [
		'ok',
		/^JSON `\{ wallet: \{ balance: number as text, threshold: number as text \} \}`$/,
	],
	'Inbound WhatsApp payloads': ['ok', /^JSON `\{ .*wa_id: number as text/],
	'Callback retries and signatures': ['ok', /^No header looks like a secret or a signature\.$/],
	'Inbound authentication': ['ok', /^No header looks like a secret or a signature\.$/],
};

describe('a run on more channels and with webhooks', () => {
	const webhooks = [
		['application/x-www-form-urlencoded', 'MessageId=m-0007&DeliveryStatus=DELIVRD&To=233201234567'],
		['application/json', '{"wallet":{"balance":"4.9000","threshold":"5.0000"}}'],
		['application/json', '{"wa_id":"233201234567","text":{"body":"Is it ready?"},"messageId":"wa-1"}'],
	] as const;
	let run: DoctorRun;
	let sent: readonly string[];
	beforeAll(async () => {
		await using service = await secondService();
		const port = String(await closedPort());
		const arrived: Array<Promise<Response>> = [];
		const onPrint = (text: string) => {
			const [url] = /http:\/\/127\.0\.0\.1:\d+\/doctor\/[\w-]+/.exec(text) ?? [];
			if (url === undefined) return;
			for (const [type, body] of webhooks) {
				arrived.push(fetch(url, { method: 'POST', headers: { 'content-type': type }, body }));
			}
		};
		const channels = ['bulk', 'verification', 'lookup', 'email'];
		run = await runDoctor(
			{ ...service, onPrint },
			...[
				'--send-to',
				'+233201234567',
				'--send-to-email',
				'efua@mail.example',
				'--max-spend',
				'1',
				'--sender',
				'KOFISHOP',
			],
			...['--channels', channels.join(','), '--prices', channels.map((channel) => `${channel}=0.05`).join(',')],
			...['--public-url', `http://127.0.0.1:${port}`, '--port', port, '--listen', '1'],
		);
		await Promise.all(arrived);
		sent = service.sent;
	});

	it.each(Object.entries(MORE))('finds the right result for %s', (heading, [verdict, service = /./, reading = /./]) => {
		const row = run.rows.get(heading);
		expect(row).toMatchObject({ verdict });
		expect(row?.service).toMatch(service);
		expect(row?.reading).toMatch(reading);
	});

	it('makes one paid request on each channel', () => {
		expect(sent).toEqual(['+233201234567', '+233201234567', 'efua@mail.example']);
	});

	it('attempts as many rows together with the other run as the docs say', () => {
		const other = Object.entries(EXPECTED).filter(([, [verdict]]) => verdict !== 'not attempted');
		const attempted = new Set([...other, ...Object.entries(MORE)].map(([heading]) => heading));
		const docs = readFileSync(join(__dirname, '..', '..', 'docs', 'doctor.md'), 'utf8');
		expect(docs).toContain(`tries ${attempted.size} of the ${Object.keys(EXPECTED).length} rows`);
	});
});
