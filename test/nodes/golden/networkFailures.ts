import { closedPort } from '../../fixtures/closedPort';
import { stubServer, type StubResponse } from '../../fixtures/stubServer';
import { untrustedServer } from '../../fixtures/untrustedServer';
import { calls } from './calls';
import type { GoldenHarness } from './goldenHarness';

/** Behaviours that only time ends; the clock that ends them is made to run fast. */
const endless = new Set<StubResponse>(['hang', 'trickle']);

const chapter = 'The network, or something that is not the service';

/** Names that no resolver is asked for, since no name may have an empty part. */
const NO_SUCH_HOST = 'https://service..example/api/v1/';

const responses: Readonly<Record<string, StubResponse>> = {
	'No answer in time': 'hang',
	'An answer that never ends': 'trickle',
	'Cut before the request was read': 'reset before reading',
	'Cut after the request was read': 'reset after reading',
	'Closed without an answer': 'close after reading',
	'Cut in the middle of the answer': 'truncate',
	'A web page (200)': { status: 200, headers: { 'Content-Type': 'text/html' }, body: '<h1>It works</h1>' },
	'A web page (502)': { status: 502, headers: { 'Content-Type': 'text/html' }, body: '<h1>Bad Gateway</h1>' },
	'Half an answer (200)': { status: 200, body: '{"success": true, "message_id": "msg_1", "sta' },
	'success: false (200)': { status: 200, body: '{"success": false, "message": "The gateway is closed"}' },
	'success: true and nothing else (200)': { status: 200, body: '{"success": true}' },
	'An empty answer (200)': { status: 200, body: '' },
	'No content (204)': { status: 204 },
	'Redirected (301)': { status: 301, headers: { Location: 'https://www.service.example/api/v1/' } },
	'Request timeout (408)': { status: 408, body: '' },
	'Unavailable (503)': { status: 503, body: '' },
};

/** Every failure of the network, and every answer that is none, for each operation that calls the service. */
export async function recordNetworkFailures({ record, at }: GoldenHarness): Promise<void> {
	const everywhere = async (failure: string, baseUrl: string) => {
		for (const id of Object.keys(calls)) await at({ baseUrl }, () => record(chapter, failure, id));
	};
	await everywhere('Nothing listens there', `http://127.0.0.1:${await closedPort()}/api/v1/`);
	await everywhere('No such host', NO_SUCH_HOST);
	await using untrusted = await untrustedServer();
	await everywhere('A certificate that is not trusted', untrusted.baseUrl);
	await using plain = await stubServer({ status: 200, body: '{}' });
	await everywhere('No TLS', plain.baseUrl.replace('http:', 'https:'));
	for (const [failure, behaviour] of Object.entries(responses)) {
		await using server = await stubServer(behaviour);
		const soon = AbortSignal.timeout.bind(AbortSignal);
		const clock = endless.has(behaviour) && jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => soon(30));
		await everywhere(failure, server.baseUrl);
		if (clock) clock.mockRestore();
	}
}
