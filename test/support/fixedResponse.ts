import { createClient, type Client, type HttpResponse } from '../../shared';

/**
 * Creates a client that makes each call once.
 * @param response the response to every request, by default an empty 200
 */
export function clientWithResponse(response: Partial<HttpResponse>): Client {
	return createClient({
		baseUrl: 'https://service.example',
		apiKey: 'sk_test_1234',
		transport: {
			send: () => Promise.resolve({ status: 200, headers: {}, body: '', ...response }),
			sleep: () => Promise.resolve(),
		},
		retry: { attempts: 1 },
	});
}
