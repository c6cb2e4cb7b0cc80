import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import {
	countingService,
	type AcceptedMessage,
	type CountingService,
	type ServiceReply,
	type ServiceRequest,
} from '../support/countingService';
import { deduplicationStore } from '../support/n8n/deduplicationStore';
import { startEngine, type Engine, type NodeResult } from '../support/n8n/engine';
import { NOTHING_SENT } from '../support/promises';
import { fc, runCount } from '../support/random';

/** Number of random runs. 1,000 take some minutes. */
const RUNS = runCount(1_200);

const recipients = [1, 2, 3, 4].map((digit) => `+23320123456${digit}`);
const modes = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const;
const rejection = (status: number, body: Record<string, unknown> = { message: 'No' }): ServiceReply => ({
	status,
	body,
});
const replies: Readonly<Record<string, ServiceReply>> = {
	accept: 'accept',
	drop: 'accept and drop',
	lost: 'accept and fail',
	reject: rejection(422),
	broken: rejection(500),
	revoked: rejection(401),
	empty: rejection(422, { code: 'insufficient_balance', message: 'Top up first' }),
};
/** Failures besides those of send requests, after a number of send requests. */
const disturbances = ['none', 'credential', 'key store', 'balance', 'time'] as const;

/** Sending Hours: whether the present is inside, and what happens outside. */
const hourChoices = [
	{ open: true, outside: 'schedule' },
	{ open: false, outside: 'schedule' },
	{ open: true, outside: 'skip' },
	{ open: false, outside: 'skip' },
] as const;

const item = fc.record({
	person: fc.nat({ max: recipients.length }),
	text: fc.nat({ max: 1 }),
	key: fc.nat({ max: 3 }),
	later: fc.boolean(),
});
const faulty = fc.oneof(
	{ weight: 6, arbitrary: fc.constant('accept') },
	{ weight: 4, arbitrary: fc.constantFrom(...Object.keys(replies)) },
);
const scenarios = fc
	.record({
		caller: fc.oneof(
			{ weight: 6, arbitrary: fc.constant('workflow' as const) },
			{ weight: 1, arbitrary: fc.constantFrom('agent' as const, 'parallel agent' as const, 'mcp' as const) },
		),
		operation: fc.constantFrom('send', 'sendBulk', 'sendLater'),
		items: fc.array(item, { minLength: 1, maxLength: 6 }),
		keyed: fc.boolean(),
		timed: fc.boolean(),
		maxRecipients: fc.constantFrom(undefined, undefined, 2, 6),
		checkBalance: fc.constantFrom(undefined, 'warn', 'stop'),
		parallelRequests: fc.constantFrom(1, 3),
		recipientsPerRequest: fc.constantFrom(1, 2, 10),
		skipRejectedNumbers: fc.boolean(),
		onError: fc.constantFrom(...modes),
		maxTries: fc.constantFrom(1, 2, 3),
		replies: fc.array(faulty, { maxLength: 8 }),
		optedOut: fc.option(fc.nat({ max: recipients.length - 1 }), { nil: undefined }),
		disturbance: fc.constantFrom(...disturbances),
		after: fc.nat({ max: 4 }),
		sameId: fc.boolean(),
		again: fc.boolean(),
		hours: fc.constantFrom(undefined, undefined, undefined, ...hourChoices),
	})
	// Sending Hours move times, so two items with different times can become one message.
	.map((scenario) => (scenario.hours ? { ...scenario, timed: false } : scenario));
type Scenario = typeof scenarios extends fc.Arbitrary<infer Value> ? Value : never;

/** The message of one item, as the node reads it. */
interface Wanted {
	readonly to: string;
	readonly text: string;
	readonly key: string;
	readonly at: string;
}

let service: CountingService;
let engine: Engine;
let decide: (request: ServiceRequest) => ServiceReply = () => 'accept';
const credential: Record<string, string> = { apiKey: 'sk_sandbox_demo', authHeader: 'X-API-Key' };
let offsetMs = 0;
let count = 0;

beforeAll(async () => {
	const realNow = Date.now.bind(Date);
	jest.spyOn(Date, 'now').mockImplementation(() => realNow() + offsetMs);
	service = await countingService((request) => decide(request));
	credential.baseUrl = service.baseUrl;
	engine = await startEngine({ messagingServiceApi: credential });
});
afterAll(async () => {
	jest.restoreAllMocks();
	await service[Symbol.asyncDispose]();
});

/** Scripts the service by the scenario, and adds the other failures. */
function play(scenario: Scenario): void {
	let sends = 0;
	decide = ({ path, to }) => {
		const disturbed = sends >= Math.max(1, scenario.after);
		if (path === '/balance') return disturbed && scenario.disturbance === 'balance' ? rejection(403) : 'accept';
		sends++;
		if (sends === Math.max(1, scenario.after)) {
			if (scenario.disturbance === 'credential') credential.apiKey = 'broken';
			if (scenario.disturbance === 'key store') deduplicationStore.failClaimsAfter(0);
			if (scenario.disturbance === 'time') offsetMs += 3_600_000;
		}
		const out = scenario.optedOut === undefined ? undefined : recipients[scenario.optedOut];
		if (out !== undefined && to.includes(out)) return rejection(422, { message: 'A recipient has opted out' });
		return replies[scenario.replies[sends - 1] ?? 'accept'] ?? 'accept';
	};
}

function parametersOf(scenario: Scenario): INodeParameters {
	const { operation, keyed, timed, maxRecipients, checkBalance, skipRejectedNumbers } = scenario;
	const bulk = operation === 'sendBulk';
	return {
		resource: 'sms',
		operation,
		senderId: { __rl: true, mode: 'name', value: 'KOFISHOP' },
		to: '={{ $json.to }}',
		message: '={{ $json.text }}',
		...(operation === 'sendLater' && { sendAt: '={{ $json.at }}' }),
		options: {
			parallelRequests: scenario.parallelRequests,
			...(keyed && { sendOnceKey: '={{ $json.key }}' }),
			...(maxRecipients !== undefined && { maxRecipients }),
			...(checkBalance !== undefined && { checkBalance, pricePerSegment: 0.05 }),
			...(bulk && { recipientsPerRequest: scenario.recipientsPerRequest, skipRejectedNumbers }),
			...(bulk && timed && { sendAt: '={{ $json.at }}' }),
			...(scenario.hours && { sendingHours: sendingHours(scenario.hours) }),
		},
	};
}

/** In a zone in which it is past noon now, so that no window of the test passes midnight. */
function sendingHours({ open, outside }: NonNullable<Scenario['hours']>): INodeParameters {
	const ahead = 12 - new Date(Date.now()).getUTCHours();
	const timeZone = `${ahead < 0 ? '-' : '+'}${String(Math.abs(ahead)).padStart(2, '0')}:00`;
	const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
	const [from, until] = open ? ['12:00', '13:00'] : ['15:00', '16:00'];
	return { values: { from, until, days, timeZone, holidays: '', outside } };
}

function wantedBy({ operation, items, keyed }: Scenario): Wanted[] {
	const now = Date.now();
	return items.map(({ person, text, key, later }, index) => ({
		to: recipients[person] ?? 'unknown',
		// Without a key, equal items are several messages.
		text:
			operation === 'sendBulk'
				? `${count} bulk ${text}`
				: `${count} ${keyed ? `text ${text} of ${key}` : `item ${index}`}`,
		key: `${count} key ${key}`,
		at: new Date(now + (later ? 7_200_000 : 60_000)).toISOString(),
	}));
}

const sameMessage = (accepted: AcceptedMessage, { to, text, at }: Wanted, timed: boolean) =>
	accepted.to === to && accepted.message === text && (!timed || accepted.schedule_at === scheduleOf(at));
const scheduleOf = (at: string) =>
	new Date(Math.ceil(Date.parse(at) / 1000) * 1000).toISOString().slice(0, 19).replace('T', ' ');
const outcomeOf = ({ json }: INodeExecutionData) => json.outcome ?? (Object(json.details) as IDataObject).outcome;

/** Fails if a row or the error makes a false statement about a message. */
function judge(
	scenario: Scenario,
	wanted: readonly Wanted[],
	{ status, error, outputs }: NodeResult,
	accepted: readonly AcceptedMessage[],
) {
	const bulk = scenario.operation === 'sendBulk';
	const timed = bulk && scenario.timed;
	// No duplicate messages.
	const names = accepted.map(({ to, message, schedule_at }) => `${to} ${message} ${timed ? schedule_at : ''}`);
	expect(names).toEqual([...new Set(names)]);
	const responded = accepted.filter(({ lost }) => !lost).length;
	if (status === 'error') {
		const words = `${error?.message} ${error?.description}`;
		if (accepted.length > 0) expect(words).not.toContain(NOTHING_SENT);
		const named =
			/(\d+) (?:items? of this run (?:was|were) already sent|recipients? (?:was|were) already accepted)/.exec(words);
		expect(Number(named?.[1] ?? 0)).toBe(responded);
		if (accepted.length > responded) expect(words).toMatch(/may have been (sent|accepted)/);
		return;
	}
	// The second output of a bulk send is the summary.
	const rows = outputs.flatMap((output, index) => (bulk && index === 1 ? [] : output));
	const ofItem = (index: number) =>
		rows.filter(({ pairedItem }) => (Object(pairedItem) as { item?: number }).item === index);
	for (const [index, one] of wanted.entries()) {
		const mine = ofItem(index);
		expect(mine).toHaveLength(1);
		const row: INodeExecutionData = mine[0] ?? { json: {} };
		const outcome = outcomeOf(row);
		const sent = accepted.filter((message) => sameMessage(message, one, timed));
		if (outcome === 'accepted') expect(sent).toHaveLength(1);
		else if (outcome === 'skipped') {
			expect(row.json).toMatchObject({ reason: expect.any(String) as string, message: expect.any(String) as string });
			const { reason, message_id } = row.json;
			if (reason === 'already_sent') {
				expect(service.accepted.some((message) => sameMessage(message, one, timed))).toBe(true);
			}
			if (message_id !== undefined) {
				const first = service.accepted.find((message) => message.message_id === message_id);
				expect(first && sameMessage(first, one, timed)).toBe(true);
			}
			if (reason === 'duplicate') expect(wanted.filter(({ to }) => to === one.to).length).toBeGreaterThan(1);
		} else if (outcome === 'rejected' || outcome === 'not_attempted') {
			// Another item can have the same number and message.
			const others = wanted.some((other, place) => place !== index && other.to === one.to && other.text === one.text);
			if (!others) expect(sent).toEqual([]);
			expect(JSON.stringify(row.json)).not.toContain('"sent":"yes"');
		} else expect(outcome).toBe('unknown');
	}
}

async function runWorkflow(scenario: Scenario): Promise<void> {
	const parameters = parametersOf(scenario);
	const wanted = wantedBy(scenario);
	const settings = {
		onError: scenario.onError,
		...(scenario.maxTries > 1 && { retryOnFail: true, maxTries: scenario.maxTries }),
		...(scenario.sameId && { id: 'the same' }),
	};
	const then = scenario.sameId
		? {
				...parametersOf({ ...scenario, operation: 'send', keyed: false, maxRecipients: undefined }),
				to: recipients[0],
				message: `${count} then`,
			}
		: undefined;
	for (const execution of scenario.again ? [1, 2] : [1]) {
		const before = service.accepted.length;
		const result = await engine.run({
			parameters,
			items: wanted.map((one) => ({ ...one })),
			settings,
			...(then && { then, thenSettings: { id: 'the same', onError: 'continueRegularOutput', executeOnce: true } }),
		});
		const accepted = service.accepted.slice(before);
		const mine = accepted.filter(({ message }) => message !== `${count} then`);
		judge(scenario, wanted, result, mine);
		const thenRow = result.thenOutputs[0]?.[0];
		const thenSent = accepted.length - mine.length;
		expect(thenSent).toBeLessThanOrEqual(1);
		if (thenRow && outcomeOf(thenRow) === 'accepted') expect(thenSent).toBe(1);
		if (thenRow && outcomeOf(thenRow) === 'rejected') expect(thenSent).toBe(0);
		expect(execution).toBeGreaterThan(0);
	}
	if (!scenario.keyed) return;
	const timed = scenario.operation === 'sendBulk' && scenario.timed;
	for (const key of new Set(wanted.map((one) => one.key))) {
		const alike = wanted.filter((one) => one.key === key);
		if (scenario.operation === 'sendBulk') continue;
		// One message per key over all executions.
		expect(
			service.accepted.filter((message) => alike.some((one) => sameMessage(message, one, timed))).length,
		).toBeLessThan(2);
	}
}

async function runTool(scenario: Scenario): Promise<void> {
	const { operation, options } = parametersOf({ ...scenario, keyed: false, timed: false });
	const calls = scenario.items.map(({ person, text }) => ({
		to: recipients[person] ?? 'unknown',
		message: `${count} call ${text}`,
	}));
	const more = {
		operation,
		options,
		...(scenario.operation === 'sendLater' && {
			sendAt: '={{ $now.plus({ days: 1, seconds: Math.floor(Math.random() * 9999) }) }}',
		}),
	};
	const before = service.accepted.length;
	const settings = { retryOnFail: true, maxTries: 3 };
	const order = scenario.caller === 'parallel agent' ? 'parallel' : 'one by one';
	const texts =
		scenario.caller === 'mcp'
			? await engine.callMcp(calls, more, settings)
			: await engine.callTool(calls, settings, order, {}, undefined, more);
	const accepted = service.accepted.slice(before);
	const names = accepted.map(({ to, message }) => `${to} ${message}`);
	expect(names).toEqual([...new Set(names)]);
	const known = new Set<string>();
	for (const [index, text] of texts.entries()) {
		expect(text).not.toContain('thrown');
		const rows = JSON.parse(text) as IDataObject[];
		expect(rows).toHaveLength(1);
		const [row = {}] = rows;
		const call = calls[index];
		if (order === 'parallel' || !call) {
			if (row.outcome === 'skipped' && row.reason === 'already_sent')
				expect(accepted.some(({ to }) => to === row.to)).toBe(true);
			continue;
		}
		const name = `${call.to} ${call.message}`;
		if (row.outcome === 'accepted') {
			expect(names).toContain(name);
			expect(known).not.toContain(name);
		}
		if (row.outcome === 'rejected' || row.outcome === 'not_attempted') expect(known).not.toContain(name);
		if (row.outcome === 'accepted' || row.outcome === 'unknown') known.add(name);
		if (row.outcome === 'skipped' && row.reason === 'already_sent') expect(row.to).toBe(call.to);
	}
	if (order === 'parallel') return;
	for (const name of names) expect(known).toContain(name);
}

const histories = fc.array(
	fc.record({
		operation: fc.constantFrom('send', 'sendLater', 'sendBulk', 'whatsapp'),
		items: fc.array(
			fc.record({
				people: fc.uniqueArray(fc.nat({ max: 2 }), { minLength: 1, maxLength: 2 }),
				text: fc.nat({ max: 1 }),
				key: fc.nat({ max: 1 }),
			}),
			{ minLength: 1, maxLength: 4 },
		),
		onError: fc.constantFrom(...modes),
		parallelRequests: fc.constantFrom(1, 3),
		recipientsPerRequest: fc.constantFrom(1, 10),
		maxTries: fc.constantFrom(1, 2),
		replies: fc.array(faulty, { maxLength: 4 }),
	}),
	{ minLength: 1, maxLength: 3 },
);
type Execution = (typeof histories extends fc.Arbitrary<infer Value> ? Value : never)[number];

/** A request for one recipient, and the reply of the service. */
interface Attempt {
	readonly name: string;
	readonly key: string;
	readonly reply: ServiceReply;
}

const numbersOf = ({ operation, items }: Execution, index: number) =>
	(items[index]?.people ?? []).slice(0, operation === 'sendBulk' ? 2 : 1).map((person) => recipients[person] ?? '');
const attemptName = (operation: string, to: string, text: string) => `${operation} ${to} ${text}`;
/** On the error output, n8n adds the fields of the input item. */
const recipientOf = ({ json }: INodeExecutionData) => (Object(json.details) as IDataObject).to ?? json.to;
const maySend = ({ reply }: Attempt) => typeof reply !== 'object' || reply.status >= 500;

/** Fails if a row has a field of another recipient, or if a skipped row is not about a message that was sent. */
function judgeKeyed(execution: Execution, { outputs }: NodeResult, all: readonly Attempt[], now: readonly Attempt[]) {
	const { operation, items } = execution;
	const rows = outputs.flatMap((output, place) => (operation === 'sendBulk' && place === 1 ? [] : output));
	for (const [index, { text, key }] of items.entries()) {
		for (const to of numbersOf(execution, index)) {
			const mine = rows.filter(
				(row) => (Object(row.pairedItem) as { item?: number }).item === index && recipientOf(row) === to,
			);
			expect(mine).toHaveLength(1);
			const row: INodeExecutionData = mine[0] ?? { json: {} };
			const name = attemptName(operation, to, `${count} text ${text} of ${key}`);
			const same = (attempt: Attempt) => attempt.name === name;
			const { message_id, reason } = row.json;
			const own = reason === undefined && row.json.details ? { ...row.json, to } : row.json;
			for (const other of recipients) if (other !== to) expect(JSON.stringify(own)).not.toContain(other);
			const first = service.accepted.find((message) => message.message_id === message_id);
			if (message_id !== undefined) expect(first).toMatchObject({ to, message: `${count} text ${text} of ${key}` });
			const outcome = outcomeOf(row);
			if (outcome === 'accepted') expect(now.filter(same)).toContainEqual(expect.objectContaining({ reply: 'accept' }));
			else if (outcome === 'unknown') expect(now.filter(same).some(maySend)).toBe(true);
			else if (outcome === 'skipped') {
				expect(['already_sent', 'key_used']).toContain(reason);
				const sent = all.filter(same);
				expect(sent.some(reason === 'already_sent' ? ({ reply }) => reply === 'accept' : maySend)).toBe(true);
			} else {
				expect(['rejected', 'not_attempted']).toContain(outcome);
				const others = items.some(
					(one, place) =>
						place !== index && one.text === text && one.key === key && numbersOf(execution, place).includes(to),
				);
				if (!others) expect(now.filter(same).some(maySend)).toBe(false);
			}
		}
	}
}

async function runHistory(history: readonly Execution[]): Promise<void> {
	const all: Attempt[] = [];
	for (const execution of history) {
		const { operation, items, onError, maxTries, replies: script, ...options } = execution;
		let requests = 0;
		const before = all.length;
		decide = ({ path, body, to }) => {
			const reply = replies[script[requests++] ?? 'accept'] ?? 'accept';
			const made = path.includes('whatsapp')
				? 'whatsapp'
				: path === '/sms/send'
					? 'send'
					: body.schedule_at === undefined
						? 'sendBulk'
						: 'sendLater';
			const text = String(body.message);
			for (const one of to) all.push({ name: attemptName(made, one, text), key: text.slice(-1), reply });
			return reply;
		};
		const result = await engine.run({
			parameters: {
				resource: operation === 'whatsapp' ? 'whatsapp' : 'sms',
				operation: operation === 'whatsapp' ? 'send' : operation,
				senderId: { __rl: true, mode: 'name', value: 'KOFISHOP' },
				to: '={{ $json.to }}',
				message: '={{ $json.text }}',
				...(operation === 'sendLater' && { sendAt: '2099-01-01T10:00:00Z' }),
				options: { ...options, sendOnceKey: '={{ $json.key }}' },
			},
			items: items.map(({ text, key }, index) => ({
				to: numbersOf(execution, index).join(', '),
				text: `${count} text ${text} of ${key}`,
				key: `${count} key ${key}`,
			})),
			settings: { onError, ...(maxTries > 1 && { retryOnFail: true, maxTries }) },
		});
		const now = all.slice(before);
		if (result.status !== 'error') judgeKeyed(execution, result, all, now);
		else if (result.error?.message.includes('was used before for another')) expect(now).toEqual([]);
	}
	const sent = all.filter(maySend);
	const names = sent.map(({ name }) => name);
	expect(names).toEqual([...new Set(names)]);
	for (const key of ['0', '1']) {
		// A key belongs to one operation and one text.
		const messages = sent.filter((one) => one.key === key).map(({ name }) => name.replace(/\+\d+/, ''));
		expect(new Set(messages).size).toBeLessThan(2);
	}
}

it(`no message under a shared key is lost or has fields of another, in ${RUNS} random histories`, async () => {
	await fc.assert(
		fc.asyncProperty(histories, async (history) => {
			count++;
			credential.apiKey = 'sk_sandbox_demo';
			deduplicationStore.clear();
			await runHistory(history);
		}),
		{ numRuns: RUNS },
	);
}, 3_600_000);

it(`no message is sent twice and no row is wrong, in ${RUNS} random runs`, async () => {
	await fc.assert(
		fc.asyncProperty(scenarios, async (scenario) => {
			count++;
			credential.apiKey = 'sk_sandbox_demo';
			deduplicationStore.clear();
			const tool = scenario.caller !== 'workflow';
			// Calls of an agent share only their accepted messages, so this skips a replaced credential. Calls of an MCP
			// client share them for five minutes, so an hour later the same call rightly sends again.
			const shared = scenario.caller === 'mcp' ? ['credential', 'time'] : ['credential'];
			const skips = tool && shared.includes(scenario.disturbance);
			play(skips ? { ...scenario, disturbance: 'none' } : scenario);
			await (tool ? runTool(scenario) : runWorkflow(scenario));
		}),
		{ numRuns: RUNS },
	);
}, 3_600_000);
