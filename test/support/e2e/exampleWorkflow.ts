import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod/v4';
import { eventually } from '../eventually';
import type { Editor, N8nApi } from './n8nApi';
import type { WebhookExecution } from './webhookWorkflow';

const ours = 'n8n-nodes-messaging-service.messagingService';

/** Folder of the example workflows. */
const examplesFolder = join(__dirname, '..', '..', '..', 'examples');

/**
 * The examples that test/e2e/templates.test.ts runs beside stand-ins of other companies, with templates-sheets.test.ts,
 * templates-visits.test.ts and templates-opt-outs.test.ts. Without their extension.
 */
export const templateNames = [
	'church-broadcast-rsvp',
	'google-calendar-appointment-reminders',
	'google-sheets-birthday-sms',
	'google-sheets-bulk-sms',
	'google-sheets-sms',
	'missed-call-text-back',
	'new-lead-sms',
	'on-call-alert',
	'review-after-visit',
	'school-fees-reminder',
	'shopify-order-sms',
	'woocommerce-order-sms',
] as const;

/** The examples that test/e2e/templates-shops.test.ts runs. Without their extension. */
export const shopTemplateNames = ['abandoned-cart-sms', 'ai-support-sms'] as const;

/** The examples that test/e2e/examples.test.ts runs. Without their extension. */
export const exampleNames = readdirSync(examplesFolder)
	.filter((name) => name.endsWith('.json'))
	.map((name) => name.replace(/\.json$/, ''))
	.filter((name) => ![...templateNames, ...shopTemplateNames].some((template) => template === name));

/** A node of an example. */
export interface ExampleNode {
	readonly id: string;
	readonly name: string;
	readonly type: string;
	readonly webhookId?: string;
	readonly parameters: Readonly<Record<string, unknown>>;
}

/** The access to n8n that importing an example needs. */
export interface Importer {
	readonly n8n: N8nApi;
	readonly n8nUrl: string;
	/** Calls the editor's own routes, logged in. */
	readonly editor: Editor;
	/** Ids of credentials by their type. */
	readonly credentials: Readonly<Record<string, string>>;
	/** Parameters that a user chooses in a node after the import, such as the spreadsheet. By default none. */
	readonly chosen?: (node: ExampleNode) => object;
}

/** An example in n8n, with its credentials chosen. */
export interface Example {
	readonly id: string;
	/** Publishes it, and waits until each of its URLs works. */
	readonly publish: () => Promise<void>;
	/** Unpublishes it, which ends its polling and frees its URLs. */
	readonly retire: () => Promise<void>;
	/** The URL of a trigger's webhook or form. */
	readonly urlOf: (trigger: string) => string;
	/** Runs it from a trigger as the editor does, and returns the execution once it has this status. */
	readonly run: (trigger: string, status?: string, data?: object) => Promise<WebhookExecution>;
	/** Calls `start`, and returns the execution that it starts at a trigger, once it has this status. */
	readonly startedBy: (trigger: string, start: () => Promise<unknown>, status?: string) => Promise<WebhookExecution>;
	/** Returns an execution once it has this status. */
	readonly execution: (id: string, status?: string) => Promise<WebhookExecution>;
}

/** The workflow in the file of an example. */
interface ExampleFile {
	readonly name: string;
	readonly nodes: readonly ExampleNode[];
	readonly connections: object;
	readonly settings: object;
}

/** Reads the file of an example. */
export function readExample(name: string): ExampleFile {
	return JSON.parse(readFileSync(join(examplesFolder, `${name}.json`), 'utf8')) as ExampleFile;
}

/** Imports an example from its file, and chooses its credentials. Its schedules are never due. */
export async function importExample(name: string, importer: Importer): Promise<Example> {
	const { n8n, n8nUrl, editor } = importer;
	const file = readExample(name);
	// n8n adds a random webhook ID to each trigger without one.
	const { id, nodes } = await n8n.call<{ id: string; nodes: ExampleNode[] }>('POST', '/workflows', {
		...file,
		nodes: file.nodes.map((node) => ({
			...node,
			...chosenCredentials(node, importer),
			parameters: { ...node.parameters, ...neverDue(node), ...importer.chosen?.(node) },
		})),
	});

	function urlOf(trigger: string): string {
		const node = nodes.find((one) => one.name === trigger);
		if (!node?.webhookId) throw new Error(`${name} has no trigger "${trigger}" with an address`);
		if (node.type.endsWith('.formTrigger')) return `${n8nUrl}/form/${formPath(node) ?? node.webhookId}`;
		if (node.type.endsWith('.webhook')) return `${n8nUrl}/webhook/${String(node.parameters.path)}`;
		return `${n8nUrl}/webhook/${node.webhookId}/${id}/${node.id}`;
	}

	async function execution(executionId: string, status = 'success'): Promise<WebhookExecution> {
		return await eventually(`execution ${executionId} of ${name} to be ${status}`, async () => {
			const found = await read(executionId);
			if (found.status === status) return found;
			if (found.status === 'error') throw new Error(JSON.stringify(found.data.resultData));
			return undefined;
		});
	}

	/** IDs of its executions, newest first. */
	const executionIds = async () =>
		(await n8n.call<{ data: Array<{ id: string }> }>('GET', `/executions?workflowId=${id}&limit=100`)).data.map(
			(one) => one.id,
		);
	const read = async (executionId: string) =>
		await n8n.call<WebhookExecution>('GET', `/executions/${executionId}?includeData=true`);

	return {
		id,
		urlOf,
		execution,
		async publish() {
			await n8n.call('POST', `/workflows/${id}/activate`);
			for (const { name: trigger, type } of nodes.filter((node) => isServed(node))) {
				await eventually(`${trigger} of ${name}`, async () =>
					(await serves(type, urlOf(trigger))) ? true : undefined,
				);
			}
		},
		async retire() {
			await n8n.call('POST', `/workflows/${id}/deactivate`);
		},
		async run(trigger, status, data) {
			const response = await editor('POST', `/rest/workflows/${id}/run`, {
				triggerToStartFrom: { name: trigger, ...(data && { data }) },
			});
			const text = await response.text();
			const { executionId } = (JSON.parse(text) as { data?: { executionId?: string } }).data ?? {};
			if (executionId === undefined) throw new Error(`n8n did not run ${name}: ${text}`);
			return await execution(executionId, status);
		},
		async startedBy(trigger, start, status) {
			const before = new Set(await executionIds());
			await start();
			const begun = await eventually(`an execution of ${name} from "${trigger}"`, async () => {
				const added = (await executionIds()).filter((one) => !before.has(one));
				const found = await Promise.all(added.map(read));
				return found.find(({ data }) => trigger in data.resultData.runData);
			});
			return await execution(begun.id, status);
		},
	};
}

/** A schedule that only `run` starts: due on February 29. One that is due during a test would send beside it. */
function neverDue({ type }: ExampleNode): object {
	const rule = { interval: [{ field: 'cronExpression', expression: '0 0 29 2 *' }] };
	return type.endsWith('.scheduleTrigger') ? { rule } : {};
}

/** The path that a form has in its options. */
function formPath({ parameters }: ExampleNode): string | undefined {
	return z.object({ options: z.object({ path: z.string() }) }).safeParse(parameters).data?.options.path;
}

function isServed({ type, webhookId }: ExampleNode): boolean {
	return webhookId !== undefined && /\.(formTrigger|webhook|messagingServiceTrigger)$/.test(type);
}

/** n8n reports a workflow as active before its URLs work. None of these requests starts a workflow. */
async function serves(type: string, url: string): Promise<boolean> {
	if (type.endsWith('.formTrigger')) return await servesForm(url);
	if (type.endsWith('.webhook')) return (await fetch(url, { method: 'POST' })).status === 403;
	// n8n itself responds 404, and our trigger 422 to a request without an event.
	return (await fetch(url, { method: 'POST', body: new URLSearchParams() })).status === 422;
}

/** A form has a URL for GET and one for POST. n8n registers them one after the other, and lists them to a preflight request. */
async function servesForm(url: string): Promise<boolean> {
	const { headers } = await fetch(url, {
		method: 'OPTIONS',
		headers: { origin: new URL(url).origin, 'access-control-request-method': 'POST' },
	});
	const methods = headers.get('access-control-allow-methods') ?? '';
	return methods.includes('GET') && methods.includes('POST');
}

/** The credentials of n8n's own nodes, by the end of the node's type. */
const credentialTypes: Readonly<Record<string, string>> = {
	'.lmChatOpenAi': 'openAiApi',
	'.googleSheets': 'googleSheetsOAuth2Api',
	'.googleCalendar': 'googleCalendarOAuth2Api',
	'.wooCommerceTrigger': 'wooCommerceApi',
	'.shopifyTrigger': 'shopifyAccessTokenApi',
	'.shopify': 'shopifyAccessTokenApi',
};

function chosenCredentials({ type, parameters }: ExampleNode, { credentials }: Importer): object {
	const types = credentialTypesOf(type, parameters);
	const chosen = types.map((one) => [one, { id: credentials[one], name: one }]);
	return types.length > 0 ? { credentials: Object.fromEntries(chosen) as object } : {};
}

function credentialTypesOf(type: string, parameters: ExampleNode['parameters']): string[] {
	if (type.startsWith(ours)) return ['messagingServiceApi'];
	if (parameters.authentication === 'headerAuth') return ['httpHeaderAuth'];
	const ofOther = Object.entries(credentialTypes).find(([suffix]) => type.endsWith(suffix));
	return ofOther ? [ofOther[1]] : [];
}
