import { keyProblem, type HttpResponse } from '../../shared';
import { clientWithResponse } from '../support/fixedResponse';

const check = (response: Partial<HttpResponse>) => clientWithResponse(response).checkKey();

describe('the test of the API key', () => {
	it.each(['{"balance": 40}', '{"wallet": {"available": "GH₵ 40"}}'])(
		'accepts the API key and returns the balance in %s',
		async (body) => {
			expect(await check({ body })).toMatchObject({ known: true, balance: { balance: 40 } });
		},
	);

	it.each([
		'{"credits": 40}',
		'{"success": true, "message": "Balance retrieved successfully", "data": {"units": "40 SMS"}}',
		'{"balance": "plenty"}',
		'{"message": "Your API key is valid"}',
		'{}',
		'[]',
		'[{"currency": "GHS"}]',
		'40',
	])('accepts the API key after %s, without a balance', async (body) => {
		expect(await check({ body })).toEqual({ known: true });
	});

	it.each<[string, Partial<HttpResponse>]>([
		['a web page', { body: '<h1>Hi</h1>' }],
		['nothing', { body: '' }],
		['nothing at all', { status: 204 }],
		['null', { body: 'null' }],
		['a text', { body: '"ok"' }],
		['cut off data', { body: '{"units": 4' }],
		['a redirect', { status: 302, headers: { location: 'https://elsewhere.example' }, body: '{"units": 40}' }],
		['a rejection', { status: 401, body: '{"message": "Unknown key"}' }],
		['an error of the service', { status: 500, body: '{"units": 40}' }],
	])('does not accept the API key after %s', async (_, response) => {
		expect(await check(response)).toMatchObject({ known: false });
	});

	it.each([
		[{ success: false, message: 'Unknown key' }, /^Unknown key$/],
		[{ error: 'Unknown key' }, /^Unknown key$/],
		[{ status: 'error', units: 40 }, /./],
		[{ message: 'Unauthenticated.' }, /^Unauthenticated\.$/],
		[{ data: { message: 'Invalid API key sk_test_1234' } }, /^Invalid API key sk_…$/],
		[{ msg: 'Access denied' }, /^Access denied$/],
		[{ message: 'The route was not found' }, /^The route was not found$/],
	])('does not accept the API key after %j, whatever the status', async (body, words) => {
		const checked = await check({ body: JSON.stringify(body) });
		expect(checked).toMatchObject({ known: false, error: { sent: 'no', status: 200 } });
		expect(checked.known || checked.error.message).toMatch(words);
	});
});

describe('the problem of an API key that is not proved', () => {
	const problemAfter = async (response: Partial<HttpResponse>, baseUrl = 'https://service.example/nowhere/') => {
		const checked = await check(response);
		return checked.known ? undefined : keyProblem(checked.error, baseUrl);
	};

	it.each<[string, Partial<HttpResponse>]>([
		['a web page', { body: '<h1>Hi</h1>' }],
		['a redirect', { status: 302, headers: { location: 'https://elsewhere.example' } }],
		['a path that does not exist', { status: 404, body: '{"message": "Not found"}' }],
	])('points to Base URL after %s', async (_, response) => {
		expect(await problemAfter(response)).toMatch(/^Base URL responds.*\/api\/v1\/$/);
	});

	it.each(['https://service.example/api/v1/', ' https://service.example/api/v1 '])(
		'does not ask for the ending that Base URL has: %s',
		async (baseUrl) => {
			expect(await problemAfter({ status: 404, body: '{"message": "Not found"}' }, baseUrl)).toMatch(
				/Check that it is the address of your service$/,
			);
		},
	);

	it("gives the service's words, the next step, and the status after a rejection", async () => {
		expect(await problemAfter({ status: 401, body: '{"message": "Unknown key"}' })).toMatch(
			/^Unknown key\. .*API key.* \(HTTP 401\)$/,
		);
	});

	it('does not blame Base URL for an error of the service', async () => {
		expect(await problemAfter({ status: 503, body: '{"message": "Back at noon"}' })).toMatch(
			/^Back at noon\. .*\(HTTP 503\)$/,
		);
	});
});
