import { join } from 'node:path';
import {
	contract,
	createClient,
	errorText,
	estimate,
	keyProblem,
	readDefaultCountry,
	readExcludedNumbers,
	readPhoneNumber,
	scheduleAt,
	type HttpResponse,
} from '../../shared';
import type { EstimateInput } from '../../shared/text/estimate';
import { clientWithResponse } from '../support/fixedResponse';
import { expectGolden, formattingArtifact, render, type Entry } from '../support/golden';
import { now, rejected } from '../support/scheduleCases';

const GOLDEN = join(__dirname, 'errors.golden.md');
const HEADING = {
	title: 'Texts of the shared code about invalid values and failed calls',
	source: 'Most follow the label of a field. The tables of the n8n node and the Zapier app show the whole sentences.',
	test: 'test/shared/errors.golden.test.ts',
};

const entries: Entry[] = [];
const note = (chapter: string, failure: string, where: string, ...shown: readonly string[]) => {
	entries.push({ chapter, failure, where, shown });
};

it('records the problems of phone numbers', () => {
	const numbers: readonly unknown[] = [
		...['', '1234', '+23320123', '02441234567', '+999 24 412 3456', '2348031234567', '0214123456', '024412345', '-'],
		...['MTN', '2.33244E+11', '0244123456,0201234567', '+233 99 000 0002', 5.5],
	];
	const read = (value: unknown, where: string, options = {}) => {
		const reading = readPhoneNumber(value, options);
		if (!reading.ok) note('Phone number', reading.problem, where, reading.message);
	};
	for (const value of numbers) read(value, JSON.stringify(value));
	read('0302123456', 'a landline', { rejectLandline: true });
	read('00923276123456', 'in Nigeria', { defaultCountry: 'NG' });
	const country = readDefaultCountry('Atlantis');
	note('Phone number', 'Default country', 'Atlantis', typeof country === 'string' ? country : country.message);
	const excluded = readExcludedNumbers(['0201234567', '02412'], {});
	note('Phone number', 'Excluded numbers', '02412', 'message' in excluded ? excluded.message : 'accepted');
	expect(new Set(entries.map(({ failure }) => failure)).size).toBe(numbers.length + 3);
});

it('records the problems of a time to send', () => {
	for (const [when, options, problem] of rejected) {
		const read = scheduleAt(when, { now, ...options });
		note('Time to send', problem, String(when), read.ok ? 'accepted' : read.message);
	}
});

it('records the problems and the basis of an estimate', () => {
	const estimates: ReadonlyArray<readonly [failure: string, input: Partial<EstimateInput>]> = [
		['Price given', { recipients: 3, currency: 'GHS' }],
		['Price of an earlier send', { recipients: 10, price: { cost: '0.15', segmentCount: 3 } }],
		['Price of an earlier send, rounded', { price: { cost: 0.1, segmentCount: 3 } }],
		['Half a recipient', { recipients: 1.5 }],
		['Too many recipients', { recipients: Number.MAX_SAFE_INTEGER }],
		['A decimal comma', { price: { perSegment: '0,05' } }],
		['An earlier send that was free', { price: { cost: 0, segmentCount: 1 } }],
		['An earlier send without segments', { price: { cost: 1, segmentCount: 0 } }],
	];
	for (const [failure, input] of estimates) {
		const result = estimate({ text: 'Hello', recipients: 1, price: { perSegment: 0.05 }, ...input });
		note('Estimate', failure, result.ok ? 'cost_basis' : result.field, result.ok ? result.cost_basis : result.message);
	}
});

it('records the problems of a client and its API key', async () => {
	const transport = { send: () => Promise.reject(new Error('must not send')), sleep: () => Promise.resolve() };
	const base = { baseUrl: 'https://service.example', apiKey: 'sk_test_1', transport };
	const thrown = (failure: string, make: () => unknown) => {
		let message = 'accepted';
		try {
			make();
		} catch (error) {
			message = String(error);
		}
		note('Client', failure, 'createClient', message);
	};
	thrown('Invalid key and URL', () => createClient({ baseUrl: 'nowhere', apiKey: 'secret-value', transport }));
	thrown('Missing key and URL', () => createClient({ baseUrl: '', apiKey: '', transport }));
	thrown('Invalid timeout', () => createClient({ ...base, timeoutMs: -1 }));
	const responses: Readonly<Record<string, Partial<HttpResponse>>> = {
		'A web page': { body: '<h1>Hi</h1>' },
		'A redirect': { status: 302, headers: { location: 'https://elsewhere.example' } },
		'A path that does not exist': { status: 404, body: '{"message": "Not found"}' },
		'An unknown key': { status: 401, body: '{"message": "Unknown key"}' },
		'An error of the service': { status: 503, body: '{"message": "Back at noon"}' },
		'An error without a reason': { status: 422 },
	};
	for (const [failure, response] of Object.entries(responses)) {
		const checked = await clientWithResponse(response).checkKey();
		note(
			'API key',
			failure,
			'checkKey',
			checked.known ? 'accepted' : keyProblem(checked.error, 'https://service.example'),
		);
		const sent = await clientWithResponse(response)
			.sms.send(contract.sms.send.example.input)
			.catch((error: unknown) => error);
		note('API key', failure, 'sms.send', errorText(Object(sent) as Parameters<typeof errorText>[0]));
	}
	const stuck = { data: [{ id: 1, name: 'Ama', phone: '+233201234567' }], last_page: 9, current_page: 1 };
	const list = await clientWithResponse({ body: JSON.stringify(stuck) }).readAll(contract.contact.list);
	const incomplete = list.outcome === 'accepted' ? list.output.incomplete?.message : undefined;
	note('Lists', 'The next page repeats', 'contact.list', incomplete ?? 'complete');
});

it('gives the same texts as errors.golden.md (UPDATE_GOLDEN=1 writes the file)', () => {
	expectGolden(GOLDEN, render(HEADING, entries));
});

it('has no formatting artifacts in a shared text', () => {
	expect(entries.length).toBeGreaterThan(50);
	expect(entries.filter(({ shown }) => formattingArtifact.test(shown.join('\n')))).toEqual([]);
});
