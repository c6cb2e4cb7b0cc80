import type { INodeParameters } from 'n8n-workflow';
import { deduplicationStore } from '../support/n8n/deduplicationStore';
import {
	startSendAndWaitEngine,
	type SendAndWaitEngine,
	type SendAndWaitExecution,
	type SendAndWaitRun,
} from '../support/n8n/sendAndWaitEngine';
import { useSandbox } from '../support/useSandbox';

/** Send and Wait with several approvers: one link for each, and the first response wins. */
const { sandbox, control } = useSandbox();
let engine: SendAndWaitEngine;

const AMA = '+233201234561';
const KOFI = '+233201234562';
const EFUA = '+233201234563';
/** The service rejects messages to this number. */
const OPTED_OUT = '+233990000009';
/** The service accepts messages to this number, but the response is lost. */
const LOST = '+233990000007';

beforeAll(async () => {
	engine = await startSendAndWaitEngine({
		messagingServiceApi: { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey, authHeader: 'X-API-Key' },
	});
});
beforeEach(() => {
	deduplicationStore.clear();
});

const ask = async (more: INodeParameters = {}, others: Partial<SendAndWaitRun> = {}) =>
	await engine.ask({
		parameters: {
			resource: 'sms',
			operation: 'sendAndWait',
			senderId: { __rl: true, mode: 'name', value: 'KOFISHOP' },
			to: `020 123 4561, ${KOFI}; ${EFUA}`,
			message: 'Ship order 1042?',
			...more,
		},
		...others,
	});
const rowOf = ({ output }: SendAndWaitExecution) => output[0]?.json;
const sentTo = async () => (await control.messages()).map(({ to }) => to).sort();
/** The link in the newest message to a number. */
const linkOf = async (number: string) =>
	(await control.messages())
		.find(({ to }) => to === number)
		?.message.split('\n')
		.at(-1) ?? '';

it('asks an approver in an unknown number range only if Unknown Number Ranges allows it', async () => {
	const to = `${KOFI}, 025 123 4567`;
	const rejected = await ask({ to });
	expect(rejected.error?.message).toMatch(/^To contains "025 123 4567", .*Unknown Number Ranges/);
	expect(await control.requests()).toEqual([]);
	const asking = await ask({ to, options: { unknownNumberRanges: 'allow' } });
	expect(asking.status).toBe('waiting');
	expect(await sentTo()).toEqual([KOFI, '+233251234567']);
});

it('sends the question to each approver with an own link, and waits', async () => {
	const asking = await ask();
	expect(asking.status).toBe('waiting');
	expect(await sentTo()).toEqual([AMA, KOFI, EFUA]);
	const links = await Promise.all([AMA, KOFI, EFUA].map(linkOf));
	expect(new Set(links).size).toBe(3);
});

it.each([
	[AMA, true, 'approve'],
	[KOFI, false, 'decline'],
	[EFUA, true, 'approve'],
])('continues with the response of %s and with all messages', async (number, approved, answer) => {
	const asking = await ask();
	const { answer: ended } = await asking.visit(await linkOf(number), { answer });
	expect(ended?.branch).toBe(0);
	const ids = Object.fromEntries((await control.messages()).map(({ to, message_id }) => [to, message_id]));
	const costs = (await control.messages()).map(({ cost }) => Number(cost));
	expect(ended && rowOf(ended)).toEqual({
		outcome: 'accepted',
		message: 'Ship order 1042?',
		cost: Math.round(costs.reduce((sum, cost) => sum + cost) * 1e6) / 1e6,
		approvers: [AMA, KOFI, EFUA].map((to) => ({
			to,
			outcome: 'accepted',
			message_id: ids[to],
			status: 'submitted',
			cost: costs[0],
			billed_via: 'wallet',
			segment_count: expect.any(Number) as number,
		})),
		reminders: 0,
		timed_out: false,
		data: { approved, approver: number, respondedAt: expect.stringMatching(/^\d{4}-.*Z$/) as string },
	});
});

it('shows no number on any page of an approver', async () => {
	const asking = await ask();
	const { page } = await asking.visit(await linkOf(KOFI));
	expect(page.html).toContain('Other people were asked too. The first answer counts.');
	const { page: thanks } = await asking.visit(await linkOf(KOFI), { answer: 'approve' });
	for (const { html } of [page, thanks]) expect(html).not.toMatch(/\d{7}/);
});

it('does not mention other people to a single approver', async () => {
	const asking = await ask({ to: AMA });
	expect((await asking.visit(await linkOf(AMA))).page.html).not.toContain('Other people');
});

it('sends one message to an approver who is in the list twice', async () => {
	await ask({ to: `=${AMA}, 0201234561\n${KOFI}` });
	expect(await sentTo()).toEqual([AMA, KOFI]);
});

it('accepts a list from an expression', async () => {
	await ask({ to: '={{ $json.owners }}' }, { items: [{ owners: [AMA, KOFI] }] });
	expect(await sentTo()).toEqual([AMA, KOFI]);
});

it('sends nothing to anyone if one number cannot be read', async () => {
	const { error } = await ask({ to: `${AMA}, Kofi, ${EFUA}` });
	expect(error?.message).toMatch(/^To contains "Kofi", which /);
	expect(await control.requests()).toEqual([]);
});

it('rejects a list of more than 20 approvers before any request', async () => {
	const numbers = (count: number) => Array.from({ length: count }, (_, index) => `+2332012345${10 + index}`).join();
	const { error } = await ask({ to: numbers(21) });
	expect(error?.message).toMatch(/^To has 21 numbers\b.*\b20\b/);
	expect(await control.requests()).toEqual([]);
	expect((await ask({ to: numbers(20) })).status).toBe('waiting');
});

it('waits for the other approvers if the service rejects one, and names that one', async () => {
	const asking = await ask({ to: [AMA, OPTED_OUT, EFUA].join() });
	expect(asking.status).toBe('waiting');
	expect(await sentTo()).toEqual([AMA, EFUA]);
	const { answer } = await asking.visit(await linkOf(EFUA), { answer: 'approve' });
	const row = answer && rowOf(answer);
	expect(row).toMatchObject({ outcome: 'accepted', data: { approver: EFUA } });
	expect(row?.warning).toMatch(/^The question to \+233990000009: .*Nothing was sent or charged/);
	expect(row?.approvers).toMatchObject([
		{ to: AMA, outcome: 'accepted' },
		{ to: OPTED_OUT, outcome: 'rejected', error: expect.any(String) as string },
		{ to: EFUA, outcome: 'accepted' },
	]);
});

it('ends in an error if the service rejects the question to every approver', async () => {
	const senderId = { __rl: true, mode: 'name', value: 'PENDINGCO' };
	const { status, error } = await ask({ senderId });
	expect([status, error?.message]).toEqual(['error', expect.stringContaining('PENDINGCO')]);
	expect(await sentTo()).toEqual([]);
});

it('waits without a limit of a day if one of several messages is unknown', async () => {
	const asking = await ask({ to: `${AMA}, ${LOST}` });
	expect(asking.waitTill).toEqual(new Date('3000-01-01T00:00:00.000Z'));
	expect(rowOf(asking)).toMatchObject({
		outcome: 'accepted',
		warning: expect.stringMatching(/^The question to \+233990000007: It is unknown/) as string,
		approvers: [{ outcome: 'accepted' }, { outcome: 'unknown' }],
	});
	const { answer } = await asking.visit(await linkOf(LOST), { answer: 'approve' });
	expect(answer && rowOf(answer)).toMatchObject({ data: { approver: LOST } });
});

it('counts every approver for Maximum Recipients, and sends nothing above it', async () => {
	const { error } = await ask({ options: { maxRecipients: 2 } });
	expect(error?.message).toMatch(/^Maximum Recipients is 2\b.*\b3\b/);
	expect(await control.requests()).toEqual([]);
	expect((await ask({ options: { maxRecipients: 3 } })).status).toBe('waiting');
});

it('sends to each approver once per Send Once Key', async () => {
	const options = { sendOnceKey: 'order-1042' };
	expect((await ask({ options })).status).toBe('waiting');
	const again = await ask({ options });
	expect([again.status, again.branch]).toEqual(['success', 1]);
	expect(rowOf(again)).toMatchObject({ outcome: 'skipped', reason: 'already_sent' });
	expect(await sentTo()).toEqual([AMA, KOFI, EFUA]);
});

it.each([OPTED_OUT, LOST])(
	'sends to no approver twice with Retry On Fail after the message to %s failed',
	async (failed) => {
		const settings = { retryOnFail: true, maxTries: 3 };
		expect((await ask({ to: [AMA, failed, EFUA].join() }, { settings })).status).toBe('waiting');
		expect((await sentTo()).filter((to) => to !== LOST)).toEqual([AMA, EFUA]);
	},
);

it('shows an approver of an earlier question who answered it and when, while the node waits for another', async () => {
	const first = await ask({}, { secondRound: {} });
	const [ofAma, ofKofi] = await Promise.all([AMA, KOFI].map(linkOf));
	const { answer: second } = await first.visit(ofAma ?? '', { answer: 'decline' });
	expect(second?.status).toBe('waiting');
	const seen = async (link = '') => (await second?.visit(link))?.page;
	const another = await seen(ofKofi);
	expect(another?.status).toBe(410);
	expect(another?.html).toMatch(/Another person answered it on \d+ \w+ \d{4} at \d\d:\d\d \(.+\)\./);
	expect(another?.html).toContain('Ship order 1042?');
	expect(another?.html).not.toMatch(/\d{7}/);
	expect((await seen(ofAma))?.html).toContain('You answered it on ');
	expect((await second?.visit(ofKofi ?? '', { answer: 'approve' }))?.answer).toBeUndefined();
});

it('continues on the No Response output if the time is up without a response', async () => {
	const values = { limitType: 'afterTimeInterval', resumeAmount: 30, resumeUnit: 'minutes' };
	const asking = await ask({ options: { limitWaitTime: { values } } });
	const ended = await asking.timeUp();
	expect([ended.status, ended.branch]).toEqual(['success', 1]);
	expect(ended.output).toHaveLength(1);
	expect(rowOf(ended)).toMatchObject({ timed_out: true, approvers: [{ to: AMA }, { to: KOFI }, { to: EFUA }] });
	expect(rowOf(ended)).not.toHaveProperty('data');
});

it('returns the response of a human review on its only output, also if the time is up', async () => {
	const values = { limitType: 'afterTimeInterval', resumeAmount: 30, resumeUnit: 'minutes' };
	const items = [{ tool: 'Send_SMS', toolParameters: {} }];
	const asking = await ask({ options: { limitWaitTime: { values } } }, { as: 'review', items });
	expect((await asking.timeUp()).branch).toBe(0);
	const { answer } = await asking.visit(await linkOf(EFUA), { answer: 'approve' });
	expect([answer?.branch, answer && rowOf(answer)]).toMatchObject([0, { data: { approved: true, approver: EFUA } }]);
});

it('shows an approver of an earlier question that its time was up, while the node waits for another', async () => {
	const values = { limitType: 'afterTimeInterval', resumeAmount: 30, resumeUnit: 'minutes' };
	const asking = await ask({ options: { limitWaitTime: { values } } }, { afterNoResponse: {} });
	const link = await linkOf(KOFI);
	const second = await asking.timeUp();
	expect(second.status).toBe('waiting');
	const { page } = await second.visit(link);
	expect([page.status, page.html]).toEqual([410, expect.stringContaining('The time is up, and no answer came.')]);
});
