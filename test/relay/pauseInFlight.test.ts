import { accept, subscribe } from '../support/relay/api';
import { useDatabase } from '../support/relay/databases';
import { eventually } from '../support/eventually';
import { startReceiver } from '../support/relay/receiver';
import { receipt } from '../support/relay/requests';

const database = useDatabase('folder');

it('pauses for 15 seconds after a failed probe, although ten requests failed together before it', async () => {
	const relay = await database().start();
	const receiver = await startReceiver();
	receiver.respond = () => 'hang';
	const { id } = await subscribe(relay, { url: receiver.url });
	// All wait when the worker begins, so that it sends ten at once.
	await relay.api('PATCH', `/v1/subscriptions/${id}`, { state: 'paused' });
	for (let index = 0; index < 12; index += 1) await accept(relay, receipt(`msg_${index}`, 'sent'));
	await relay.api('PATCH', `/v1/subscriptions/${id}`, { state: 'active' });
	await eventually('ten requests in flight', () => (receiver.requests.length === 10 ? true : undefined));
	await receiver.close();

	const back = await startReceiver(Number(new URL(receiver.url).port));
	// The first probe comes after 5 seconds and fails. The next one comes 15 seconds later.
	const works = Date.now() + 8_000;
	back.respond = () => (Date.now() < works ? 503 : 200);
	await back.waitFor(12, 50_000);
	await back.close();
}, 120_000);
