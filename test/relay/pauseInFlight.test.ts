import { accept, subscribe } from '../support/relay/api';
import { useDatabase } from '../support/relay/databases';
import { eventually } from '../support/eventually';
import { QUICK } from '../support/relay/quick';
import { startReceiver } from '../support/relay/receiver';
import { receipt } from '../support/relay/requests';

const database = useDatabase('folder');

it('pauses for the second time after a failed probe, although ten requests failed together before it', async () => {
	const retry = { ...QUICK.retry, probes: [0.5, 0.5, 300] };
	const relay = await database().start({ settings: { ...QUICK, retry } });
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
	// The first probe fails. If each failure of the ten counted as a pause, the next probe would come after 300 seconds.
	back.respond = ({ count }) => (count === 0 ? 503 : 200);
	await back.waitFor(12);
	await back.close();
});
