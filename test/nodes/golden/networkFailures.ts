import { closedPort } from '../../support/closedPort';
import { stubServer, type StubResponse } from '../../support/stubServer';
import { untrustedServer } from '../../support/untrustedServer';
import { calls } from './calls';
import type { GoldenHarness } from './goldenHarness';

/** Behaviors that only a timeout ends. The test shortens the timeout. */
const endless = new Set<StubResponse>(['hang', 'trickle']);

const chapter = 'The network, or another server';

/** A host name that no resolver looks up, because part of it is empty. */
const NO_SUCH_HOST = 'https://service..example/api/v1/';

const responses: Readonly<Record<string, StubResponse>> = {
	'No response in time': 'hang',
	'A response that never ends': 'trickle',
	'Cut before the request was read': 'reset before reading',
	'Cut after the request was read': 'reset after reading',
	'Closed without a response': 'close after reading',
	'Cut in the middle of the response': 'truncate',
	'A web page (200)': { status: 200, headers: { 'Content-Type': 'text/html' }, body: '<h1>It works</h1>' },
	'A web page (502)': { status: 502, headers: { 'Content-Type': 'text/html' }, body: '<h1>Bad Gateway</h1>' },
	'Half a response (200)': { status: 200, body: '{"success": true, "message_id": "msg_1", "sta' },
	'success: false (200)': { status: 200, body: '{"success": false, "message": "The gateway is closed"}' },
	'success: true and nothing else (200)': { status: 200, body: '{"success": true}' },
	'An empty response (200)': { status: 200, body: '' },
	'No content (204)': { status: 204 },
	'Redirected (301)': { status: 301, headers: { Location: 'https://www.service.example/api/v1/' } },
	'Request timeout (408)': { status: 408, body: '' },
	'Unavailable (503)': { status: 503, body: '' },
};

/** Records every network failure and unusable response, for each operation that calls the service. */
export async function recordNetworkFailures({ record, at }: GoldenHarness): Promise<void> {
	const everywhere = async (failure: string, baseUrl: string) => {
		for (const id of Object.keys(calls)) await at({ baseUrl }, () => record(chapter, failure, id));
	};
	await everywhere('No server listens', `http://127.0.0.1:${await closedPort()}/api/v1/`);
	await everywhere('No such host', NO_SUCH_HOST);
	await using untrusted = await untrustedServer();
	await everywhere('A certificate that is not trusted', untrusted.baseUrl);
	await using plain = await stubServer({ status: 200, body: '{}' });
	await everywhere('No TLS', plain.baseUrl.replace('http:', 'https:'));
	for (const [failure, behavior] of Object.entries(responses)) {
		await using server = await stubServer(behavior);
		const soon = AbortSignal.timeout.bind(AbortSignal);
		const clock = endless.has(behavior) && jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => soon(30));
		await everywhere(failure, server.baseUrl);
		if (clock) clock.mockRestore();
	}
}
