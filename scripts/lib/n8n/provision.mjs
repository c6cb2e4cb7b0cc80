import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { join } from 'node:path';
import { createApiKey, createOwner, logIn, N8nApiError, openPublicApi } from './api.mjs';
import { packageName } from './package.mjs';
import { projectFolder } from '../paths.mjs';
import { sandboxApiKey } from '../process/sandbox.mjs';
import { SetupError } from '../setup-error.mjs';
import { waitUntil } from '../process/wait-until.mjs';

const exampleFile = join(projectFolder, 'examples', 'reply-to-inbound-sms.json');

const triggerType = `${packageName}.messagingServiceTrigger`;

const credentialNames = {
	messagingServiceApi: 'Messaging Service (sandbox)',
	messagingServiceWebhookApi: 'Messaging Service Webhook (sandbox)',
};

/**
 * The credential type of each of our nodes.
 *
 * @type {Record<string, keyof typeof credentialNames>}
 */
const credentialOfNode = {
	[`${packageName}.messagingService`]: 'messagingServiceApi',
	[triggerType]: 'messagingServiceWebhookApi',
};

/** @typedef {ReturnType<typeof openPublicApi>} PublicApi */
/** @typedef {import('./demo-state.mjs').DemoState} DemoState */
/** @typedef {Record<string, { id?: string, name?: string }>} NodeCredentials */
/** @typedef {{ id: string, type: string, disabled?: boolean, webhookId?: string, credentials?: NodeCredentials }} WorkflowNode */
/**
 * @typedef {{ id: string, name: string, active: boolean, isArchived?: boolean, nodes: WorkflowNode[], connections: object,
 * settings: object }} Workflow
 */

/**
 * @template T
 * @param {Promise<T>} response
 * @returns {Promise<T | undefined>} undefined if n8n does not have it
 */
async function unlessMissing(response) {
	try {
		return await response;
	} catch (error) {
		if (error instanceof N8nApiError && error.status === 404) return undefined;
		throw error;
	}
}

/**
 * @param {string} baseUrl
 * @param {string} apiKey
 */
async function keyWorks(baseUrl, apiKey) {
	try {
		await openPublicApi(baseUrl, apiKey)('GET', '/workflows?limit=1');
		return true;
	} catch (error) {
		if (error instanceof N8nApiError && error.status === 401) return false;
		throw error;
	}
}

/**
 * Creates n8n's owner and a key for its public API, unless they exist.
 *
 * @param {string} baseUrl n8n's address
 * @param {DemoState} state gets the key
 * @param {() => void} save writes `state`
 * @returns {Promise<{ api: PublicApi, passwordWorks: boolean }>} `passwordWorks` is false if the user changed it
 * @throws {SetupError} if n8n rejects both the login and the key
 */
export async function openAccount(baseUrl, state, save) {
	await createOwner(baseUrl, state);
	const editor = await logIn(baseUrl, state).catch((error) => {
		if (error instanceof N8nApiError && error.status === 401) return undefined;
		throw error;
	});
	if (!state.apiKey || !(await keyWorks(baseUrl, state.apiKey))) {
		if (!editor) {
			throw new SetupError(
				'n8n rejected both the login and the API key of the last start. Both were changed in the editor.',
				'Start over: npm start -- --fresh',
			);
		}
		state.apiKey = await createApiKey(editor);
		save();
	}
	return { api: openPublicApi(baseUrl, state.apiKey), passwordWorks: Boolean(editor) };
}

/**
 * @param {PublicApi} api
 * @param {DemoState} state gets the credential's ID
 * @param {() => void} save writes `state`
 * @param {keyof typeof credentialNames} type
 * @param {object} data
 */
async function ensureCredential(api, state, save, type, data) {
	const known = state.credentials[type];
	if (known && (await unlessMissing(api('GET', `/credentials/${known.id}`)))) {
		if (isDeepStrictEqual(known.data, data)) return;
		await api('PATCH', `/credentials/${known.id}`, { data });
		known.data = data;
	} else {
		const { id } = await api('POST', '/credentials', { name: credentialNames[type], type, data });
		state.credentials[type] = { id, data };
	}
	save();
}

/**
 * Creates both credentials, or updates them to the ports of this start.
 *
 * @param {PublicApi} api
 * @param {DemoState} state gets the credentials' IDs
 * @param {() => void} save writes `state`
 * @param {string} sandboxUrl the sandbox's address
 * @throws {N8nApiError}
 */
export async function ensureCredentials(api, state, save, sandboxUrl) {
	await ensureCredential(api, state, save, 'messagingServiceApi', {
		apiKey: sandboxApiKey,
		baseUrl: `${sandboxUrl}/api/v1/`,
		authHeader: 'X-API-Key',
	});
	await ensureCredential(api, state, save, 'messagingServiceWebhookApi', {
		secret: state.webhookSecret,
		previousSecret: '',
	});
}

/**
 * Sets the credentials of our nodes.
 *
 * @param {WorkflowNode[]} nodes nodes of a workflow
 * @param {DemoState['credentials']} credentials
 * @param {(id: string | undefined) => boolean} replace whether to replace a node's present credential
 * @returns {WorkflowNode[]} a copy
 */
function withCredentials(nodes, credentials, replace) {
	return nodes.map((node) => {
		const type = credentialOfNode[node.type];
		if (!type || !replace(node.credentials?.[type]?.id)) return node;
		const credential = { id: credentials[type]?.id, name: credentialNames[type] };
		return { ...node, credentials: { ...node.credentials, [type]: credential } };
	});
}

/**
 * Creates a workflow from the committed example.
 *
 * @param {PublicApi} api
 * @param {DemoState} state has the credentials' IDs
 * @returns {Promise<Workflow>} the workflow as n8n returns it
 * @throws {N8nApiError}
 */
async function createExampleWorkflow(api, state) {
	const { name, nodes, connections, settings } = JSON.parse(readFileSync(exampleFile, 'utf8'));
	const ours = withCredentials(nodes, state.credentials, () => true);
	return await api('POST', '/workflows', { name, nodes: ours, connections, settings });
}

/**
 * Replaces credentials that the user deleted in the editor: the new ones have other IDs.
 *
 * @param {PublicApi} api
 * @param {DemoState} state has the credentials' IDs
 * @param {Workflow} workflow
 * @returns {Promise<Workflow>}
 */
async function repairCredentials(api, state, workflow) {
	const gone = new Set();
	for (const node of workflow.nodes) {
		const type = credentialOfNode[node.type];
		const id = type && node.credentials?.[type]?.id;
		if (id && !(await unlessMissing(api('GET', `/credentials/${id}`)))) gone.add(id);
	}
	if (gone.size === 0) return workflow;
	const { name, nodes, connections, settings } = workflow;
	const ours = withCredentials(nodes, state.credentials, (id) => gone.has(id));
	return await api('PUT', `/workflows/${workflow.id}`, { name, nodes: ours, connections, settings });
}

/**
 * Creates and activates the example workflow, if needed. Keeps the user's changes in it.
 *
 * @param {PublicApi} api
 * @param {DemoState} state has the credentials' IDs, gets the workflow's
 * @param {() => void} save writes `state`
 * @returns {Promise<{ workflow: Workflow, webhookPath: string }>} `webhookPath` begins with a slash and ends with the secret
 * @throws {N8nApiError}
 * @throws {SetupError} if the user removed the trigger from the workflow
 */
export async function ensureWorkflow(api, state, save) {
	/** @type {Workflow | undefined} */
	let workflow = state.workflowId && (await unlessMissing(api('GET', `/workflows/${state.workflowId}`)));
	if (!workflow || workflow.isArchived) {
		workflow = await createExampleWorkflow(api, state);
		state.workflowId = workflow.id;
		save();
	} else {
		workflow = await repairCredentials(api, state, workflow);
	}
	const trigger = workflow.nodes.find(({ type, disabled }) => type === triggerType && !disabled);
	if (!trigger) {
		throw new SetupError(
			`The workflow "${workflow.name}" has no enabled Messaging Service Trigger.`,
			'Start over: npm start -- --fresh\nOr delete that workflow in the editor. The next start creates the example again.',
		);
	}
	if (!workflow.active) await api('POST', `/workflows/${workflow.id}/activate`);
	return {
		workflow,
		webhookPath: `/webhook/${trigger.webhookId}/${workflow.id}/${trigger.id}/${state.webhookSecret}`,
	};
}

/**
 * Waits until an activated workflow accepts webhooks: n8n reports it as active before that.
 *
 * @param {string} webhookUrl the webhook's address with its secret
 * @throws {Error} after half a minute
 */
export async function waitForWebhook(webhookUrl) {
	const wrongSecret = webhookUrl.replace(/[^/]+$/, 'not-the-secret');
	await waitUntil(
		'the workflow’s webhook. The reason may be in n8n’s log',
		async () => {
			const response = await fetch(wrongSecret, { method: 'POST' });
			// Our trigger rejects a wrong secret with an empty response. For an unknown webhook, n8n's response has a text.
			return response.status === 404 && (await response.text()) === '';
		},
		{ withinMs: 30_000 },
	);
}

/**
 * Sets the URL that the simulated phones post messages to.
 *
 * @param {string} sandboxUrl the sandbox's address
 * @param {string} webhookUrl the webhook's address with its secret
 * @throws {Error} if the sandbox rejects the request
 */
export async function connectPhones(sandboxUrl, webhookUrl) {
	const response = await fetch(`${sandboxUrl}/_sandbox/settings`, {
		method: 'PUT',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ inbound_url: webhookUrl, inbound_format: 'form' }),
	});
	if (!response.ok) {
		throw new Error(
			`The sandbox responded to PUT /_sandbox/settings with ${response.status}: ${await response.text()}`,
		);
	}
}
