import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NodeHelpers, type INode, type INodeParameters, type INodeTypeDescription } from 'n8n-workflow';
import { z } from 'zod/v4';
import { MessagingService } from '../../nodes/MessagingService/MessagingService.node';
import { MessagingServiceTrigger } from '../../nodes/MessagingService/MessagingServiceTrigger.node';
import { MessagingServiceWalletTrigger } from '../../nodes/MessagingService/MessagingServiceWalletTrigger.node';

const folder = join(__dirname, '..', '..', 'examples');
const package_ = 'n8n-nodes-messaging-service';

const action = new MessagingService().description;
const ours: Readonly<Record<string, INodeTypeDescription>> = {
	messagingService: action,
	// n8n's tool versions of the node for agents have the same fields.
	messagingServiceTool: action,
	messagingServiceHitlTool: action,
	messagingServiceTrigger: new MessagingServiceTrigger().description,
	messagingServiceWalletTrigger: new MessagingServiceWalletTrigger().description,
};

/** Nodes of every n8n. The end-to-end tests import and run them all. */
const everyN8nHas = [
	...['dataTable', 'errorTrigger', 'executeWorkflow', 'executeWorkflowTrigger', 'filter', 'form', 'formTrigger', 'if'],
	...['crypto', 'noOp', 'removeDuplicates', 'wait'],
	...[
		'manualTrigger',
		'scheduleTrigger',
		'set',
		'splitInBatches',
		'splitOut',
		'stickyNote',
		'stopAndError',
		'summarize',
		'switch',
		'webhook',
	],
	// The companies behind these have stand-ins in test/support/thirdParty.
	...['googleCalendar', 'googleSheets', 'shopify', 'shopifyTrigger', 'wooCommerceTrigger'],
].map((name) => `n8n-nodes-base.${name}`);
const forAgents = ['agent', 'chatTrigger', 'lmChatOpenAi'].map((name) => `@n8n/n8n-nodes-langchain.${name}`);
const known = [...everyN8nHas, ...forAgents, ...Object.keys(ours).map((name) => `${package_}.${name}`)];

const link = z.strictObject({ node: z.string(), type: z.string(), index: z.number() });
const workflow = z.strictObject({
	name: z.string(),
	nodes: z.array(
		z.strictObject({
			id: z.uuid(),
			name: z.string(),
			type: z.string(),
			typeVersion: z.number(),
			position: z.tuple([z.number(), z.number()]),
			webhookId: z.uuid().optional(),
			alwaysOutputData: z.boolean().optional(),
			executeOnce: z.boolean().optional(),
			onError: z.string().optional(),
			retryOnFail: z.boolean().optional(),
			maxTries: z.number().optional(),
			waitBetweenTries: z.number().optional(),
			parameters: z.custom<INodeParameters>((value) => typeof value === 'object' && value !== null),
		}),
	),
	connections: z.record(z.string(), z.record(z.string(), z.array(z.array(link)))),
	settings: z.strictObject({ executionOrder: z.literal('v1'), timezone: z.literal('Africa/Accra').optional() }),
});

const names = readdirSync(folder)
	.filter((name) => name.endsWith('.json'))
	.map((name) => name.replace(/\.json$/, ''));
const textOf = (name: string) => readFileSync(join(folder, `${name}.json`), 'utf8');
const read = (name: string) => workflow.parse(JSON.parse(textOf(name)));

/** Our nodes of an example, in n8n's form, with their descriptions. */
function ourNodes(name: string): Array<{ node: INode; description: INodeTypeDescription }> {
	return read(name).nodes.flatMap((node) => {
		const description = ours[node.type.replace(`${package_}.`, '')];
		return description ? [{ node: { ...node } as INode, description }] : [];
	});
}

/** The paths of all values that are set. */
function pathsOf(value: unknown, path = ''): string[] {
	if (typeof value !== 'object' || value === null) return [path];
	return Object.entries(value).flatMap(([key, inner]) => pathsOf(inner, `${path}.${key}`));
}

/** All texts in a value. */
function textsIn(value: unknown): string[] {
	if (typeof value === 'string') return [value];
	return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

it('each example has a picture and a paragraph', () => {
	const pictures = readdirSync(join(folder, 'images')).map((name) => name.replace(/\.png$/, ''));
	expect(pictures.sort()).toEqual([...names].sort());
	const paragraphs = readFileSync(join(folder, 'README.md'), 'utf8');
	for (const name of names) {
		expect(paragraphs).toContain(`](${name}.json)`);
		expect(paragraphs).toContain(`](images/${name}.png)`);
	}
});

/** What the names of schedules say, as n8n's Schedule Trigger has it. Its days of the week begin with 0, a Sunday. */
const schedules: Readonly<Record<string, object>> = {
	'Every 15 minutes': { field: 'minutes', minutesInterval: 15 },
	'Every hour': { field: 'hours' },
	'Every morning at nine': { triggerAtHour: 9 },
	'Every morning at ten': { triggerAtHour: 10 },
	'Every Monday at ten': { field: 'weeks', triggerAtDay: [1], triggerAtHour: 10 },
	'Every Friday at ten': { field: 'weeks', triggerAtDay: [5], triggerAtHour: 10 },
};

// The end-to-end tests start a schedule by hand, whatever its times are.
it('each schedule has the times that its name says, in the time zone of the shop', () => {
	const found = names.flatMap((name) => {
		const { nodes, settings } = read(name);
		const triggers = nodes.filter(({ type }) => type.endsWith('.scheduleTrigger'));
		return triggers.map((node) => ({ name: node.name, rule: node.parameters.rule, zone: settings.timezone }));
	});
	expect(found.length).toBeGreaterThan(0);
	expect(found).toEqual(
		found.map(({ name }) => ({ name, rule: { interval: [schedules[name]] }, zone: 'Africa/Accra' })),
	);
});

describe.each(names)('%s', (name) => {
	// The schema rejects values from the editor: credentials, pinned data, IDs of an instance.
	it('has only known nodes, connected by name, and no data of the n8n that made it', () => {
		const { nodes, connections } = read(name);
		expect(nodes.map(({ type }) => type).filter((type) => !known.includes(type))).toEqual([]);
		expect(nodes.some(({ type }) => type === 'n8n-nodes-base.stickyNote')).toBe(true);
		const all = nodes.map((node) => node.name);
		expect(new Set(all).size).toBe(all.length);
		const ends = Object.values(connections).flatMap((outputs) => Object.values(outputs).flat(2));
		const connected = [...Object.keys(connections), ...ends.map((end) => end.node)];
		expect(connected.filter((end) => !all.includes(end))).toEqual([]);
		const mentioned = [...textOf(name).matchAll(/\$\((?:'|\\")(.+?)(?:'|\\")\)/g)].map(([, node]) => node);
		expect(mentioned.filter((node) => node === undefined || !all.includes(node))).toEqual([]);
	});

	// n8n keeps a webhook ID at import, so with one in the file, everyone's URL would contain the same public ID.
	it('leaves the webhook ID of our trigger to n8n', () => {
		const triggers = ourNodes(name).filter(({ node }) => node.type.endsWith('.messagingServiceTrigger'));
		expect(triggers.map(({ node }) => node.webhookId).filter((id) => id !== undefined)).toEqual([]);
	});

	it('forwards inbound SMS, so that the service sees each STOP', () => {
		const triggers = ourNodes(name).filter(({ node }) => [node.parameters.triggerOn].flat().includes('inboundSms'));
		for (const { node } of triggers) expect(node.parameters.forwardInboundSms).toBe(true);
	});

	it('sets only fields that our nodes have and show, to values that they offer', () => {
		const nodes = ourNodes(name);
		expect(nodes.length).toBeGreaterThan(0);
		for (const { node, description } of nodes) {
			const { properties } = description;
			const shown = NodeHelpers.getNodeParameters(properties, node.parameters, true, false, node, description);
			// n8n adds the field pollTimes to each polling trigger.
			const stale = pathsOf(node.parameters).filter((path) => !path.startsWith('.pollTimes'));
			const remain = pathsOf(shown);
			expect([node.name, stale.filter((path) => !remain.includes(path))]).toEqual([node.name, []]);
			const issues = NodeHelpers.getNodeParametersIssues(properties, node, description);
			// n8n sets the message of a review.
			const expected = node.type.endsWith('HitlTool') ? { message: expect.anything() as unknown } : undefined;
			expect([node.name, issues?.parameters]).toEqual([node.name, expected]);
		}
	});

	// n8n shows these fields only below a sheet. When the user chooses one in the editor, it drops hidden ones.
	it('has no columns and options in a Google Sheets node whose sheet the user chooses', () => {
		for (const node of read(name).nodes.filter(({ type }) => type === 'n8n-nodes-base.googleSheets')) {
			const { sheetName, columns, options } = node.parameters;
			if ((Object(sheetName) as INodeParameters).value !== '') continue;
			expect([node.name, columns, options]).toEqual([node.name, undefined, {}]);
		}
	});

	it('contains no key, and only phone numbers from the documentation', () => {
		const text = textOf(name);
		expect(text).not.toMatch(/\bsk_|api[_-]?key"|"password"|bearer /i);
		// Contains no long random values, except node IDs.
		const withoutIds = text.replace(/"[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}( \d+)?"/g, '""');
		expect(withoutIds.match(/[A-Za-z0-9+/_-]{32,}/g) ?? []).toEqual([]);
		const numbers = withoutIds.match(/\+\d{9,}/g) ?? [];
		expect(numbers.filter((number) => !number.startsWith('+23320'))).toEqual([]);
	});

	it('names the number to which recipients can send STOP, because they cannot reply to a sender name', () => {
		const values = read(name)
			.nodes.filter(({ type }) => !type.endsWith('.stickyNote'))
			.flatMap(({ parameters }) => textsIn(parameters));
		const requests = values.flatMap(
			(value) => value.match(/\b(reply|respond|send|text|write)\b[^.!?]*\bSTOP\b.*/gi) ?? [],
		);
		expect(requests.filter((request) => !/^text STOP to (?!opt out|unsubscribe)\S/i.test(request))).toEqual([]);
	});

	it('says in its note how to try it', () => {
		const { nodes } = read(name);
		const note = JSON.stringify(nodes.find((node) => node.name === 'How this works')?.parameters.content);
		expect(note).toMatch(/\btry it\b|In the sandbox/i);
		const named = [...note.matchAll(/(?:[Pp]oint at|beside) \*\*(.+?)\*\*/g)].map(([, node]) => node);
		expect(named.filter((trigger) => !nodes.some((node) => node.name === trigger))).toEqual([]);
	});

	it('says which URL the sandbox calls, and that a relay needs none, if it receives messages', () => {
		const { nodes } = read(name);
		const receives = ourNodes(name).some(({ node }) => node.type.endsWith('.messagingServiceTrigger'));
		const note = JSON.stringify(nodes.find((node) => node.name === 'How this works')?.parameters.content);
		// npm start connects its own workflow.
		const isConnected = name === 'reply-to-inbound-sms';
		expect(note.includes('**Callbacks > More inbound URLs**')).toBe(receives && !isConnected);
		expect(note.includes('**Receive Through: Relay**')).toBe(receives);
	});

	it('sets a Send Once Key for each send', () => {
		const sends = ourNodes(name).filter(
			({ node: { type, parameters } }) =>
				type.endsWith('.messagingService') &&
				parameters.resource === 'sms' &&
				(parameters.operation === 'send' || parameters.operation === 'sendBulk'),
		);
		// The trigger deduplicates webhooks. A sender who repeats the message later gets another reply.
		const exempt = name === 'reply-to-inbound-sms';
		for (const { node } of sends) {
			const { sendOnceKey } = node.parameters.options as INodeParameters;
			expect([node.name, Boolean(sendOnceKey)]).toEqual([node.name, !exempt]);
		}
	});
});

const bulkSends = (name: string) =>
	ourNodes(name).flatMap(({ node }) => (node.parameters.operation === 'sendBulk' ? [node] : []));
/** Guardians owe the fees, so its messages are no marketing. */
const noMarketing = ['school-fees-reminder'];
const marketing = names.filter((name) => bulkSends(name).length > 0 && !noMarketing.includes(name));

// test/e2e/templates-sheets.test.ts shows that these hours hold.
it.each(marketing)(
	'the marketing example %s sends in the hours of Ghana and to no one who opted out, and says that the hours are no law',
	(name) => {
		const right = {
			sendingHours: {
				values: {
					from: '08:00',
					until: '19:00',
					days: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'],
					timeZone: 'Africa/Accra',
					holidays: expect.stringMatching(/^(\d{4}-\d\d-\d\d(, |$))*$/) as string,
					outside: expect.stringMatching(/^(schedule|skip)$/) as string,
				},
			},
			// The rows of the table of opt-outs: test/nodes/optOutsOfExamples.test.ts runs each of them.
			excludedNumbers: expect.stringContaining("$('Opted-out numbers').all()") as string,
		};
		for (const { name: send, parameters } of bulkSends(name)) {
			expect([send, parameters.options]).toEqual([send, expect.objectContaining(right)]);
		}
		expect(textOf(name)).toMatch(/Check (the hours |these hours )?with your provider and the regulator/);
	},
);

// n8n runs the branches of an output from the top of the canvas to the bottom. If saving fails, the run ends before it sends.
it.each([
	['google-sheets-birthday-sms', 'Send the wishes'],
	['google-sheets-bulk-sms', 'Send the offer'],
])('%s saves new codes before it sends links with them', (name, send) => {
	const { nodes, connections } = read(name);
	const branches = connections['Add the code']?.main?.[0]?.map(({ node }) => node);
	expect(branches).toEqual(['New customers', send]);
	const [top = 0, bottom = 0] =
		branches?.map((branch) => nodes.find((node) => node.name === branch)?.position[1]) ?? [];
	expect(top).toBeLessThan(bottom);
	expect(connections['New customers']).toEqual({ main: [[{ node: 'Save the code', type: 'main', index: 0 }]] });
});

it('examples that share a table agree on its columns', () => {
	const columns = new Map<INodeParameters[string], unknown>();
	for (const { parameters } of names.flatMap((name) => read(name).nodes)) {
		if (parameters.resource !== 'table') continue;
		const { tableName: table } = parameters;
		expect(parameters.columns).toEqual(columns.get(table) ?? parameters.columns);
		columns.set(table, parameters.columns);
	}
	expect([...columns.keys()].sort()).toEqual([
		'Abandoned carts',
		'Appointment reminders',
		'Campaign report',
		'Chat messages',
		'Customers',
		'Handovers',
		'Invitations',
		'Missed calls',
		'Opt-outs',
		'RSVP count',
		'Support tickets',
	]);
});

// n8n finds a table by a part of its name, and takes the one that was changed last.
it('no name of a table is part of another one', () => {
	const tables = new Set(
		names.flatMap((name) => [...textOf(name).matchAll(/"tableName": "(.+)"/g)].map(([, table]) => table)),
	);
	const lower = [...tables].map((table) => table?.toLowerCase() ?? '');
	expect(lower.filter((one) => lower.some((other) => other !== one && other.includes(one)))).toEqual([]);
});
