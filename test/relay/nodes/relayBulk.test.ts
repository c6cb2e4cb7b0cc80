import type { INodeParameters } from 'n8n-workflow';
import { fresh, KEYED, rowsOf, smsParameters, useRelayedEngines, type Row } from '../../support/n8n/relayedEngines';
import { lossyProxy } from '../../support/lossyProxy';

/** Send Bulk with a relay as Base URL, on n8n's engine, in two processes. */
const relayed = useRelayedEngines();
const { control, rows, rowsElsewhere, charged, engineWith, unknownSends, settle } = relayed;

const people = ['+233201234561', '+233201234562', '+233201234563', '+233201234564'];
const GOES_ON = { onError: 'continueRegularOutput' as const };
const bulk = (options: INodeParameters = KEYED) => smsParameters({ operation: 'sendBulk' }, options);
/** One item for each of some people, with a campaign of its own. */
const campaign = () => {
	const text = fresh('We are open');
	return (...places: number[]) => places.map((place) => ({ to: people[place], text, key: `${text} ${place}` }));
};
const shown = (all: readonly Row[]) =>
	all.map(({ to, outcome, reason, message_id }) => ({ to, outcome, reason, message_id }));
const outcomes = (all: readonly Row[]) => all.map(({ outcome, reason }) => reason ?? outcome);

it('leaves out recipients who had the message under their key, and sends to the others of the request', async () => {
	const items = campaign();
	const first = await rows({ parameters: bulk(), items: items(0, 2) });
	const second = await rowsElsewhere({ parameters: bulk(), items: items(0, 1, 2, 3) });
	expect(outcomes(first)).toEqual(['accepted', 'accepted']);
	const sent = { outcome: 'skipped', reason: 'already_sent', first_outcome: 'accepted' };
	expect(second).toMatchObject([
		{ ...first[0], ...sent },
		{ outcome: 'accepted' },
		{ ...first[1], ...sent },
		{ outcome: 'accepted' },
	]);
	expect(first[0]).toMatchObject({ status: expect.any(String) as string, batch_id: expect.any(String) as string });
	expect(second.map(({ to }) => to)).toEqual(people);
	expect(await charged()).toHaveLength(4);
});

it('sends a campaign with one key for all recipients to each of them once', async () => {
	const text = fresh('We are open');
	const item = (...places: number[]) => [{ to: places.map((place) => people[place]).join(','), text, key: text }];
	expect(outcomes(await rows({ parameters: bulk(), items: item(0, 1) }))).toEqual(['accepted', 'accepted']);
	expect(outcomes(await rowsElsewhere({ parameters: bulk(), items: item(3, 1, 0) }))).toEqual([
		'accepted',
		'already_sent',
		'already_sent',
	]);
	const items = [...item(0), ...item(2)];
	expect(outcomes(await rows({ parameters: bulk(), items }))).toEqual(['already_sent', 'accepted']);
	expect(await charged()).toHaveLength(4);
});

it('leaves recipients who were left out of the cost and the segments', async () => {
	const items = campaign();
	await rows({ parameters: bulk(), items: items(0, 1) });
	const summary = async () => {
		const { outputs, error } = await relayed.engine.run({ parameters: bulk(), items: items(0, 1, 2) });
		expect(error).toBeUndefined();
		return outputs[1]?.[0]?.json;
	};
	expect(await summary()).toMatchObject({ accepted: 1, skipped: 2, requests: 1, total_segments: 1, cost: 0.05 });
	expect(await summary()).toMatchObject({ accepted: 0, skipped: 3, requests: 0, total_segments: 0 });
});

it('sends to the others if one key belongs to another message', async () => {
	const items = campaign();
	await rows({ parameters: bulk(), items: [{ ...items(1)[0], text: fresh('Another text') }] });
	const all = await rows({ parameters: bulk(), items: items(0, 1, 2, 3), settings: GOES_ON });
	expect(outcomes(all)).toEqual(['accepted', 'rejected', 'accepted', 'accepted']);
	expect(all[1]).toMatchObject({ to: people[1], details: { code: 'idempotency_key_reused', sent: 'no' } });
	const words = `Send Once Key "${String(items(1)[0]?.key)}" was used before for another message or recipient`;
	expect(all[1]?.error).toBe(`${words}, so nothing was sent to ${people[1]}`);
	expect(await charged()).toHaveLength(4);
});

it('rejects a recipient whose key an earlier item of the run has, before a request leaves', async () => {
	const [first, second] = campaign()(0, 1);
	const other = { ...first, text: fresh('Another text') };
	const items = [{ ...first }, { ...second }, other];
	const { error } = await relayed.engine.run({ parameters: bulk(), items });
	expect(error?.message).toMatch(/^Send Once Key ".*" was used before .*\+233201234561 \(item 3 of 3\)$/);
	expect(await charged()).toEqual([]);
	const dry = await rows({ parameters: bulk({ ...KEYED, dryRun: true }), items, settings: GOES_ON });
	const all = await rows({ parameters: bulk(), items, settings: GOES_ON });
	expect(outcomes(dry)).toEqual(['would_send', 'would_send', 'rejected']);
	expect(outcomes(all)).toEqual(['accepted', 'accepted', 'rejected']);
	expect(all[2]).toMatchObject({ to: people[0], details: { code: 'idempotency_key_reused', sent: 'no' } });
	expect(await charged()).toHaveLength(2);
});

it('sends to no one if one key belongs to another message and Skip Rejected Numbers is off', async () => {
	const items = campaign();
	await rows({ parameters: bulk(), items: [{ ...items(1)[0], text: fresh('Another text') }] });
	const parameters = bulk({ ...KEYED, skipRejectedNumbers: false });
	const { error } = await relayed.engine.run({ parameters, items: items(0, 1, 2, 3) });
	const words = `Send Once Key "${String(items(1)[0]?.key)}" was used before for another message to ${people[1]}`;
	expect(error?.message).toContain(`${words}, so nothing was sent to the 4 recipients of its request`);
	expect(error?.description).toContain('To send to the others, turn on Skip Rejected Numbers.');
	expect(await charged()).toHaveLength(1);
});

it.each(['arrived', 'send_again'] as const)(
	'reports recipients of a lost request as unknown until a person says %s, and sends to the others',
	async (outcome) => {
		const items = campaign();
		await control.fault({ endpoint: 'sms.sendBulk', times: 1, kind: 'drop_after' });
		const first = await rows({ parameters: bulk(), items: items(0, 1), settings: GOES_ON });
		const second = await rowsElsewhere({ parameters: bulk(), items: items(0, 1, 2), settings: GOES_ON });
		expect(outcomes(first)).toEqual(['unknown', 'unknown']);
		expect(outcomes(second)).toEqual(['unknown', 'unknown', 'accepted']);
		expect(second[0]).toMatchObject({ details: { sent: 'unknown' } });
		expect(await charged()).toHaveLength(3);
		for (const send of await unknownSends()) await settle(send, outcome);
		const again = outcome === 'arrived' ? 'already_sent' : 'accepted';
		const third = await rows({ parameters: bulk(), items: items(0, 1, 2) });
		expect(outcomes(third)).toEqual([again, again, 'already_sent']);
		expect(await charged()).toHaveLength(outcome === 'arrived' ? 3 : 5);
	},
);

it('keeps the key of each recipient when a rejected request is divided', async () => {
	const items = campaign();
	await rows({ parameters: bulk(), items: items(0) });
	await control.ask('POST', 'opt-outs', { number: people[2] });
	const all = await rows({ parameters: bulk(), items: items(0, 1, 2, 3) });
	expect(outcomes(all)).toEqual(['already_sent', 'accepted', 'rejected', 'accepted']);
	expect(outcomes(await rowsElsewhere({ parameters: bulk(), items: items(0, 1, 3) }))).toEqual(
		Array(3).fill('already_sent'),
	);
	expect(await charged()).toHaveLength(3);
});

it('reports recipients as accepted if only the response was lost on the way from the relay', async () => {
	await using proxy = await lossyProxy(relayed.relay.url);
	const far = await engineWith({ baseUrl: `${proxy.url}/api/v1/` });
	const items = campaign();
	for (const options of [KEYED, {}]) {
		await control.reset();
		proxy.lose(2);
		const all = rowsOf(await far.run({ parameters: bulk(options), items: items(0, 1) }));
		const sent = await control.messages();
		expect(outcomes(all)).toEqual(['accepted', 'accepted']);
		expect(all.map(({ message_id }) => message_id).sort()).toEqual(sent.map(({ message_id }) => message_id).sort());
	}
});

describe('without a Send Once Key', () => {
	it('keeps the rows of recipients that another process of the execution sent to, and sends to the others', async () => {
		const items = campaign();
		const executionId = fresh('execution');
		const first = await rows({ parameters: bulk({ recipientsPerRequest: 2 }), items: items(0, 1), executionId });
		// Another process may read the items in another order.
		const second = await rowsElsewhere({ parameters: bulk({}), items: items(1, 2, 0), executionId });
		expect(shown(second)).toMatchObject([shown(first)[1], { outcome: 'accepted' }, shown(first)[0]]);
		expect(await charged()).toHaveLength(3);
		expect(outcomes(await rows({ parameters: bulk({}), items: items(0, 1, 2) }))).toEqual(Array(3).fill('accepted'));
		expect(await charged()).toHaveLength(6);
	});

	it('sends two different messages to one number, and neither of them again in another process', async () => {
		const items = [...campaign()(0), ...campaign()(0)];
		const executionId = fresh('execution');
		const first = await rows({ parameters: bulk({}), items, executionId });
		const second = await rowsElsewhere({ parameters: bulk({}), items, executionId });
		expect(outcomes(first)).toEqual(['accepted', 'accepted']);
		expect(shown(second)).toEqual(shown(first));
		expect(await charged()).toHaveLength(2);
	});

	it('reports all recipients of a request as unknown if another process may have sent another text', async () => {
		const items = campaign();
		const executionId = fresh('execution');
		await rows({ parameters: bulk({}), items: items(0, 1), executionId });
		const text = fresh('at another time');
		const later = items(0, 1, 2).map((item) => ({ ...item, text }));
		const all = await rowsElsewhere({ parameters: bulk({}), items: later, executionId, settings: GOES_ON });
		expect(outcomes(all)).toEqual(['unknown', 'unknown', 'unknown']);
		expect(await charged()).toHaveLength(2);
	});
});
