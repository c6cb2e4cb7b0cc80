import { MAX_BODY_BYTES } from '../../shared';
import { fc, isLong, seed } from '../support/random';
import { useDatabase } from '../support/relay/databases';
import { INGEST_SECRET } from '../support/relay/relay';
import type { RelayProcess } from '../support/relay/relayProcess';
import { receipt } from '../support/relay/requests';

const REQUESTS = isLong ? 100_000 : 1_000;
const AT_ONCE = 32;
/** Every so many requests, a normal receipt goes between the others. */
const NORMAL_EVERY = 8;

interface Request {
	readonly type: string;
	readonly path: string;
	readonly body: string | Uint8Array<ArrayBuffer>;
}

const text = fc.oneof(
	{ weight: 5, arbitrary: fc.string({ unit: 'binary' }) },
	{ weight: 5, arbitrary: fc.string({ unit: 'grapheme' }) },
	{
		weight: 5,
		arbitrary: fc
			.array(fc.constantFrom('\0', '\ud800', '\udfff', '\u2028', '\ufffe', "'", '\\', '$1', '%'), { maxLength: 8 })
			.map((all) => all.join('')),
	},
	{
		weight: 5,
		arbitrary: fc.constantFrom(
			'',
			'STOP',
			'START',
			'+233201234567',
			'delivered',
			'SENT',
			'0',
			'null',
			'__proto__',
			'../..',
		),
	},
	// Longer than an entry of an index, and without repetitions that PostgreSQL could compress.
	{ weight: 1, arbitrary: fc.integer({ min: 1, max: 2 ** 30 }).map((start) => longText(start, 6_000)) },
);

const number = fc.oneof(
	fc.double(),
	fc.bigInt().map(String),
	fc.constantFrom('1e999', '-1e999', '1e-999', '-0', '0.1e1', '9'.repeat(400), '1E400'),
);

/** JSON text with any kind of value, also those that a JavaScript object cannot have. */
const json: fc.Arbitrary<string> = fc.letrec<{ value: string; list: string; object: string }>((tie) => ({
	value: fc.oneof(
		{ maxDepth: 5 },
		{ weight: 4, arbitrary: text.map((one) => JSON.stringify(one)) },
		{ weight: 2, arbitrary: number.map(String).filter((one) => !/NaN|Infinity/.test(one)) },
		{ weight: 1, arbitrary: fc.constantFrom('true', 'false', 'null') },
		{ weight: 1, arbitrary: tie('list') },
		{ weight: 1, arbitrary: tie('object') },
	),
	list: fc.array(tie('value'), { maxLength: 5 }).map((all) => `[${all.join(',')}]`),
	object: fc
		.array(fc.tuple(fc.oneof(text, names()), tie('value')), { maxLength: 8 })
		.map((all) => `{${all.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`),
})).value;

function names(): fc.Arbitrary<string> {
	const known =
		'event type data from to message text message_id id status channel sender recipient provider_status balance';
	const unsafe = '__proto__ constructor prototype toString hasOwnProperty length then toJSON';
	return fc.constantFrom(...`${known} threshold currency timestamp ${unsafe}`.split(' '));
}

/** The fields of an event with values of any kind. */
const event = fc
	.tuple(
		fc.constantFrom(
			['message_id', 'status', 'to', 'channel', 'provider_status'],
			['from', 'to', 'message'],
			['from', 'to', 'message', 'message_id', 'channel'],
			['event', 'balance', 'threshold', 'currency'],
			['event', 'data'],
		),
		fc.array(
			fc.oneof({ weight: 3, arbitrary: text.map((one) => JSON.stringify(one)) }, { weight: 1, arbitrary: json }),
			{
				minLength: 5,
				maxLength: 5,
			},
		),
	)
	.map(([fields, values]) => `{${fields.map((name, index) => `"${name}":${values[index] ?? '0'}`).join(',')}}`);

const deep = fc
	.tuple(
		fc.constantFrom(['[', ']'], ['{"a":', '}'], ['{"data":[', ']}']),
		fc.integer({ min: 15, max: 20_000 }),
		fc.boolean(),
	)
	.map(([[open = '', close = ''], depth, isClosed]) => `${open.repeat(depth)}0${isClosed ? close.repeat(depth) : ''}`);

const huge = fc
	.tuple(fc.integer({ min: -40, max: 40 }), fc.constantFrom('message', 'message_id', 'from', 'to', 'status', '\\u0000'))
	.map(
		([more, name]) =>
			`{"from":"+233201234567","message":"a","${name}":"${longText(more + 50, MAX_BODY_BYTES + more - 60)}"}`,
	);

const form = fc
	.array(
		fc.tuple(
			fc.oneof(names(), text),
			fc.oneof(fc.constantFrom('', '[a]', '[]', '[__proto__][a]', '[a][b]', '['), text),
			text,
		),
		{
			maxLength: 8,
		},
	)
	.map((all) => all.map(([name, more, value]) => `${encoded(name + more)}=${encoded(value)}`).join('&'));

const multipart = fc
	.array(
		fc.tuple(
			fc.oneof(names(), fc.string({ unit: 'grapheme' })),
			fc.oneof(fc.constant(''), fc.constant('; filename="a"')),
			text,
		),
		{
			maxLength: 5,
		},
	)
	.map(
		(all) =>
			`${all.map(([name, file, value]) => `--b\r\ncontent-disposition: form-data; name="${name}"${file}\r\n\r\n${value}\r\n`).join('')}--b--`,
	);

const types = fc.oneof(
	fc.constantFrom(
		'application/json',
		'application/json; charset=utf-16',
		'application/json; charset=nonsense',
		'application/x-www-form-urlencoded',
		'multipart/form-data; boundary=b',
		'multipart/form-data',
		'text/plain',
		'application/xml',
		'image/png',
		';',
	),
	fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 40 }).map((one) => one.trim() || 'x'),
);

const of = (type: fc.Arbitrary<string>, body: fc.Arbitrary<Request['body']>): fc.Arbitrary<Request> =>
	fc.record({ type, body, path: fc.constantFrom('', '/sms', '/whatsapp') });
const always = fc.constant<string>;

const request: fc.Arbitrary<Request> = fc.oneof(
	{ weight: 160, arbitrary: of(always('application/json'), event) },
	{ weight: 80, arbitrary: of(always('application/json'), json) },
	{ weight: 48, arbitrary: of(always('application/x-www-form-urlencoded'), form) },
	{ weight: 40, arbitrary: of(always('multipart/form-data; boundary=b'), multipart) },
	{ weight: 32, arbitrary: of(types, fc.oneof(event, json, form, multipart)) },
	{
		weight: 5,
		arbitrary: of(
			types,
			fc.uint8Array({ maxLength: 300 }).map((bytes) => new Uint8Array(bytes)),
		),
	},
	{ weight: 16, arbitrary: of(always('application/json'), deep) },
	{ weight: 1, arbitrary: of(always('application/json'), huge) },
);

/** A request for each status: stored with a known event, stored without one, too large, and in an unknown character set. */
const eachStatus: readonly Request[] = [
	{ type: 'application/json', path: '', body: JSON.stringify(receipt('each-status', 'sent')) },
	{ type: 'application/json', path: '', body: '[]' },
	{ type: 'application/json', path: '', body: longText(1, MAX_BODY_BYTES + 1) },
	{ type: 'application/json; charset=nonsense', path: '', body: '{}' },
];

/** Text without repetitions. */
function longText(start: number, length: number): string {
	let state = start;
	let made = '';
	while (made.length < length) {
		state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
		made += state.toString(36);
	}
	return made.slice(0, length);
}

function encoded(part: string): string {
	return encodeURIComponent(part.toWellFormed());
}

describe('fuzzed requests to the ingest URL', () => {
	const database = useDatabase('folder');
	let relay: RelayProcess;

	beforeAll(async () => {
		relay = await database().startProcess();
	});

	async function post({ type, path, body }: Request): Promise<{ status: number; text: string }> {
		const send = async () =>
			await fetch(`${relay.url}/in/${INGEST_SECRET}${path}`, {
				method: 'POST',
				headers: { 'content-type': type },
				body,
			});
		// On a busy machine, a client may use a connection in the moment in which the server closes it as idle.
		const response = await send().catch(send);
		return { status: response.status, text: await response.text() };
	}

	it(
		`${REQUESTS} of them, ${AT_ONCE} at once, are stored, too large or in an unknown character set, and normal receipts between them are accepted`,
		async () => {
			const counts: Record<number, number> = {};
			const wrong: object[] = [];
			let made = 0;
			let batch = [...eachStatus];
			const next = (): Request | undefined => {
				if (made >= REQUESTS) return undefined;
				if (batch.length === 0)
					batch = fc.sample(request, { seed: seed + made, numRuns: Math.min(1_000, REQUESTS - made) });
				made += 1;
				return batch.pop();
			};
			const client = async () => {
				for (let one = next(); one; one = next()) {
					const index = made;
					const { status, text: answer } = await post(one);
					counts[status] = (counts[status] ?? 0) + 1;
					// Only a declared character set can be unknown.
					const allowed = /charset/i.test(one.type) ? [200, 202, 413, 415] : [200, 202, 413];
					if (!allowed.includes(status)) wrong.push({ ...one, body: one.body.slice(0, 500), status, answer });
					if (index % NORMAL_EVERY !== 0) continue;
					const normal = await post({
						type: 'application/json',
						path: '',
						body: JSON.stringify(receipt(`normal-${index}`, 'sent')),
					});
					if (normal.status !== 200 || normal.text.includes('"duplicate":true')) wrong.push({ index, ...normal });
				}
			};
			await Promise.all(Array.from({ length: AT_ONCE }, client));
			if (isLong) console.log(JSON.stringify({ seed, counts }));
			expect(wrong.slice(0, 5)).toEqual([]);
			expect(Object.keys(counts).sort()).toEqual(['200', '202', '413', '415']);
			expect(relay.output().filter((line) => line.includes('failed'))).toEqual([]);
		},
		isLong ? 1_800_000 : 180_000,
	);
});
