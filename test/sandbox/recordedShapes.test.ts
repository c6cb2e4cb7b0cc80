import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNameMask } from '../../doctor/publicNames';
import { templateOf } from '../../doctor/template';
import { HttpError } from '../../sandbox/http/httpError';
import { recordedFailure } from '../../sandbox/http/recordedShape';
import { readShapes, ShapesFileError } from '../../sandbox/readShapes';
import { contract, recordedShapes, type RecordedShapes } from '../../shared';
import { fc } from '../support/random';
import { matching, run } from '../support/testSandbox';

const NONE: RecordedShapes = { version: 1, responses: {}, errors: [], words: {} };

const value = fc.oneof(
	fc.string(),
	fc.integer(),
	fc.boolean(),
	fc.constant(null),
	fc.constantFrom('delivered', '+233201234567', '40.00', 'GHS 40.00', '2026-01-02 03:04:05', '2026-01-02T03:04:05Z'),
	fc.constantFrom('a@b.example', 'https://a.example/x', 'KOFISHOP', '233201234567', ''),
);
const key = fc.oneof(
	fc.constantFrom('status', 'code', 'data', 'balance', 'message', 'errors', 'next', 'page', 'total'),
	fc.string(),
);
const body = fc.letrec((tie) => ({
	any: fc.oneof({ depthSize: 'small' }, value, fc.array(tie('any')), fc.dictionary(key, tie('any'))),
})).any;

describe('a recorded shape', () => {
	it('is valid for any body, and its rendering has the same shape', () => {
		fc.assert(
			fc.property(body, (recorded) => {
				const mask = createNameMask();
				const template = templateOf(recorded, mask);
				const error = { endpoint: 'sms.get', code: 'not_found', status: 404, body: template };
				const shapes = recordedShapes.parse(JSON.parse(JSON.stringify({ ...NONE, errors: [error] })));
				const rendered = recordedFailure(contract.sms.get, new HttpError(404, 'not_found', ''), shapes);
				expect(rendered?.status).toBe(404);
				expect(templateOf(rendered?.json, mask)).toEqual(template);
			}),
			// The key of a map says nothing about its values, and a list may be too deep for its entries.
			{ examples: [[{ status: [0], total: [0] }], [{ a: { b: { c: { d: [{ e: [{ f: [false] }] }] } } } }]] },
		);
	});

	it('turns off a channel that the service did not have', async () => {
		const errors = [{ endpoint: 'whatsapp.send', code: 'channel_not_set_up', status: 400, body: { fault: '<text>' } }];
		await using sandbox = await run({ shapes: { ...NONE, errors } });
		for (const input of [{}, { to: '+233201234567', message: 'Hello' }]) {
			expect(await sandbox.api('POST', 'whatsapp/send', input)).toMatchObject({
				status: 400,
				body: { fault: 'Lorem ipsum' },
			});
		}
		expect((await sandbox.api('POST', 'voice/send', { to: '+233201234567', message: 'Hello' })).status).toBe(200);
	});

	it('has a result for each number of a bulk send', async () => {
		const rows = [{ msisdn: '<number as text>', ref: '<text>' }];
		const fields = {
			'results.to': [['outcome', 'rows', 0, 'msisdn']],
			'results.message_id': [['outcome', 'rows', 0, 'ref']],
		};
		const responses = { 'sms.sendBulk': { status: 202, body: { outcome: { rows } }, fields } };
		await using sandbox = await run({ shapes: { ...NONE, responses } });
		const to = ['+233201234567', '+233241234567'];
		const sent = await sandbox.api('POST', 'sms/bulk', { to, sender_id: 'KOFISHOP', message: 'Hello' });
		expect(sent).toMatchObject({
			status: 202,
			body: { outcome: { rows: [{ msisdn: '233201234567', ref: matching(/^msg_/) }, { msisdn: '233241234567' }] } },
		});
	});

	it('leaves endpoints without a recorded response as they are', async () => {
		await using sandbox = await run({ shapes: NONE });
		expect((await sandbox.api('GET', 'balance')).body).toEqual({ success: true, balance: 40, currency: 'GHS' });
	});

	it.each([
		['missing', undefined, /cannot be read/],
		['not JSON', '{', /cannot be read/],
		['another file', '{"name":"x"}', /has no recorded shapes/],
		['a newer version', '{"version":2,"responses":{},"errors":[],"words":{}}', /record the shapes again/],
		[
			'a value in place of a placeholder',
			JSON.stringify({ ...NONE, errors: [{ endpoint: 'a', code: 'b', status: 404, body: 'Ama' }] }),
			/has no recorded shapes/,
		],
	])('from a file that is %s is rejected', (_name, text, message) => {
		const folder = mkdtempSync(join(tmpdir(), 'shapes-'));
		try {
			const file = join(folder, 'shapes.json');
			if (text !== undefined) writeFileSync(file, text);
			expect(() => readShapes(file)).toThrow(ShapesFileError);
			expect(() => readShapes(file)).toThrow(message);
		} finally {
			rmSync(folder, { recursive: true });
		}
	});
});
