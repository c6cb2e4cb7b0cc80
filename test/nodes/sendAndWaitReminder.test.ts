import type { INodeParameters } from 'n8n-workflow';
import { deduplicationStore } from '../support/n8n/deduplicationStore';
import {
	startSendAndWaitEngine,
	type SendAndWaitEngine,
	type SendAndWaitExecution,
	type SendAndWaitRun,
} from '../support/n8n/sendAndWaitEngine';
import { NOTHING_SENT } from '../support/promises';
import { useSandbox } from '../support/useSandbox';

/** The Reminder option of Send and Wait: the item comes back from the Reminder output, and the question is sent again. */
const { sandbox, control } = useSandbox();
let engine: SendAndWaitEngine;

const AMA = '+233201234561';
const KOFI = '+233201234562';
const OPTED_OUT = '+233990000009';

beforeAll(async () => {
	engine = await startSendAndWaitEngine({
		messagingServiceApi: { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey, authHeader: 'X-API-Key' },
	});
});
beforeEach(() => {
	deduplicationStore.clear();
});

const reminder = (more: INodeParameters = {}) => ({
	values: { remindAfter: 30, unit: 'minutes', maxReminders: 2, intro: 'Reminder:', ...more },
});
const limit = (minutes: number) => ({
	values: { limitType: 'afterTimeInterval', resumeAmount: minutes, resumeUnit: 'minutes' },
});
const ask = async (options: INodeParameters = {}, others: Partial<SendAndWaitRun> = {}, more: INodeParameters = {}) =>
	await engine.ask({
		parameters: {
			resource: 'sms',
			operation: 'sendAndWait',
			senderId: { __rl: true, mode: 'name', value: 'KOFISHOP' },
			to: '={{ $json.owners }}',
			message: '=Ship order {{ $json.order }}?',
			options: { reminder: reminder(), ...options },
			...more,
		},
		items: [{ order: 1042, owners: [AMA, KOFI] }],
		...others,
	});
const rowOf = ({ output }: SendAndWaitExecution) => output[0]?.json;
const texts = async () => (await control.messages()).map(({ to, message }) => [to, ...message.split('\n')]).sort();
const inMinutes = (date: Date | undefined) => Math.round(((date?.getTime() ?? Number.NaN) - Date.now()) / 60_000);
const linksOf = async (number: string) =>
	(await control.messages()).filter(({ to }) => to === number).map(({ message }) => message.split('\n').at(-1));

it('reminds every approver of the same question with the same link, after a while without a response', async () => {
	const asking = await ask();
	expect(inMinutes(asking.waitTill)).toBe(30);
	const reminded = await asking.timeUp();
	expect([reminded.status, inMinutes(reminded.waitTill)]).toEqual(['waiting', 30]);
	expect((await texts()).map(([to, text]) => [to, text])).toEqual([
		[AMA, 'Reminder: Ship order 1042?'],
		[AMA, 'Ship order 1042?'],
		[KOFI, 'Reminder: Ship order 1042?'],
		[KOFI, 'Ship order 1042?'],
	]);
	const [first, second] = await linksOf(KOFI);
	expect(first).toBe(second);
	const { answer } = await reminded.visit(first ?? '', { answer: 'approve' });
	const cost = (await control.messages()).reduce((sum, message) => sum + Number(message.cost), 0);
	expect([answer?.branch, answer && rowOf(answer)]).toMatchObject([
		0,
		{
			outcome: 'accepted',
			message: 'Ship order 1042?',
			cost: Math.round(cost * 1e6) / 1e6,
			reminders: 1,
			timed_out: false,
			approvers: [
				{ to: AMA, outcome: 'accepted', reminders: [{ to: AMA, outcome: 'accepted' }] },
				{ to: KOFI, outcome: 'accepted', reminders: [{ to: KOFI, outcome: 'accepted' }] },
			],
			data: { approved: true, approver: KOFI },
		},
	]);
	expect(answer && rowOf(answer)).not.toHaveProperty('question_id');
});

it('sends no reminder after a response', async () => {
	const asking = await ask();
	const [link = ''] = await linksOf(AMA);
	const { answer } = await asking.visit(link, { answer: 'decline' });
	expect([answer?.status, answer?.branch]).toEqual(['success', 0]);
	expect(await control.messages()).toHaveLength(2);
});

it('ends its reminders at Maximum Reminders, and then waits until the time is up', async () => {
	let asking = await ask({ limitWaitTime: limit(90) });
	const waits = [inMinutes(asking.waitTill)];
	for (let round = 1; round <= 2; round++) {
		asking = await asking.timeUp();
		waits.push(inMinutes(asking.waitTill));
	}
	// No time passes in the test, so the last wait ends when the whole time is up.
	expect(waits).toEqual([30, 30, 90]);
	const ended = await asking.timeUp();
	expect([ended.status, ended.branch]).toEqual(['success', 1]);
	expect(rowOf(ended)).toMatchObject({ timed_out: true, reminders: 2 });
	expect(await control.messages()).toHaveLength(6);
});

it('sends no reminder that would be due after Limit Wait Time', async () => {
	const asking = await ask({ limitWaitTime: limit(20) });
	expect(inMinutes(asking.waitTill)).toBe(20);
	const ended = await asking.timeUp();
	expect([ended.status, ended.branch]).toEqual(['success', 1]);
	expect(await control.messages()).toHaveLength(2);
});

it('does not remind an approver whose question was rejected', async () => {
	const asking = await ask({}, { items: [{ order: 1042, owners: [AMA, OPTED_OUT] }] });
	const before = (await control.requests()).length;
	expect((await asking.timeUp()).status).toBe('waiting');
	expect((await control.requests()).length).toBe(before + 1);
});

it('keeps the question open if the wallet is empty at the time of a reminder', async () => {
	const asking = await ask();
	await control.emptyWallet();
	const reminded = await asking.timeUp();
	expect(reminded.status).toBe('waiting');
	const row = rowOf(reminded);
	expect(row).toMatchObject({ outcome: 'accepted', reminders: 1 });
	expect(row?.warning).toMatch(/^A reminder to \+233201234561: /);
	expect(row?.warning).toContain('Nothing was sent or charged for this message.');
	const [link = ''] = await linksOf(KOFI);
	const { answer } = await reminded.visit(link, { answer: 'approve' });
	expect(answer && rowOf(answer)).toMatchObject({ data: { approved: true, approver: KOFI } });
});

it('counts reminders for Maximum Recipients, and keeps the question open above it', async () => {
	const asking = await ask({ maxRecipients: 3 });
	const reminded = await asking.timeUp();
	expect([reminded.status, rowOf(reminded)?.warning]).toEqual([
		'waiting',
		expect.stringMatching(/Maximum Recipients is 3\b/) as string,
	]);
	expect(await control.messages()).toHaveLength(2);
});

it('sends reminders of a question that has a Send Once Key, each once', async () => {
	const asking = await ask({ sendOnceKey: '=order-{{ $json.order }}' });
	const reminded = await (await asking.timeUp()).timeUp();
	expect(reminded.status).toBe('waiting');
	expect(await control.messages()).toHaveLength(6);
});

it('repeats the question alone without a text before it', async () => {
	await (await ask({ reminder: reminder({ intro: ' ' }) })).timeUp();
	expect(new Set((await texts()).map(([, text]) => text))).toEqual(new Set(['Ship order 1042?']));
});

it('asks nothing new if the item comes back from the Reminder output without its fields', async () => {
	const asking = await ask({}, { wayBack: 'empties the item' });
	const { status, error } = await asking.timeUp();
	expect(status).toBe('error');
	expect(error?.message).toMatch(/^Reminder .*\bquestion_id\b/);
	expect(error?.description).toContain(NOTHING_SENT);
	expect(await control.messages()).toHaveLength(2);
});

it('asks nothing new if an item comes back from the Reminder output after the response', async () => {
	const asking = await ask({}, { secondRound: { question_id: 'Ask "it"/0', order: 7, owners: [AMA] } });
	const [link = ''] = await linksOf(AMA);
	const { answer } = await asking.visit(link, { answer: 'approve' });
	expect(answer?.status).toBe('error');
	expect(answer?.error?.message).toMatch(/^Reminder is not due /);
	expect(await control.messages()).toHaveLength(2);
});

it('rejects a Reminder that the workflow does not lead back, before any request', async () => {
	const { error } = await ask({}, { wayBack: 'none' });
	expect(error?.message).toMatch(/^Reminder .*\bNo Operation\b/);
	expect(await control.requests()).toEqual([]);
});

it('rejects a Reminder of a human review, before any request', async () => {
	const { error } = await ask(
		{},
		{ as: 'review', items: [{ order: 1, owners: [AMA], tool: 'Send', toolParameters: {} }] },
	);
	expect(error?.message).toMatch(/^Reminder .*\bhuman review\b/);
	expect(await control.requests()).toEqual([]);
});

it('counts the words of the reminder in the length of the message', async () => {
	const message = 'x'.repeat(1400);
	const { error } = await ask({ reminder: reminder({ intro: 'y'.repeat(100) }) }, {}, { message });
	expect(error?.message).toMatch(/^Message has 1\d{3} characters/);
	expect(await control.requests()).toEqual([]);
});
