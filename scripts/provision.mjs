import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { join } from 'node:path';
import { createApiKey, createOwner, logIn, N8nRefusal, openPublicApi } from './n8n-api.mjs';
import { packageName } from './node-package.mjs';
import { projectFolder } from './project-paths.mjs';
import { sandboxApiKey } from './sandbox-process.mjs';
import { SetupProblem } from './setup-problem.mjs';
import { waitUntil } from './wait-until.mjs';

const exampleFile = join(projectFolder, 'examples', 'reply-to-inbound-sms.json');

const triggerType = `${packageName}.messagingServiceTrigger`;

const credentialNames = {
	messagingServiceApi: 'Messaging Service (sandbox)',
	messagingServiceWebhookApi: 'Messaging Service Webhook (sandbox)',
};

/** Which credential a node of ours takes. */
const credentialOfNode = {
	[`${packageName}.messagingService`]: 'messagingServiceApi',
	[triggerType]: 'messagingServiceWebhookApi',
};

/** @typedef {ReturnType<typeof openPublicApi>} PublicApi */
/** @typedef {import('./demo-state.mjs').DemoState} DemoState */

async function unlessMissing(answer) {
	try {
		return await answer;
	} catch (error) {
		if (error instanceof N8nRefusal && error.status === 404) return undefined;
		throw error;
	}
}

async function keyWorks(baseUrl, apiKey) {
	try {
		await openPublicApi(baseUrl, apiKey)('GET', '/workflows?limit=1');
		return true;
	} catch (error) {
		if (error instanceof N8nRefusal && error.status === 401) return false;
		throw error;
	}
}

/**
 * Makes sure that n8n has an owner and that we have a key to its public API.
 *
 * @param {string} baseUrl n8n's address
 * @param {DemoState} state gets the key
 * @param {() => void} save writes `state`
 * @returns {Promise<{ api: PublicApi, passwordWorks: boolean }>} `passwordWorks` is false when somebody changed it
 * @throws {SetupProblem} when neither login nor key is accepted any more
 */
export async function openAccount(baseUrl, state, save) {
	await createOwner(baseUrl, state);
	const editor = await logIn(baseUrl, state).catch((error) => {
		if (error instanceof N8nRefusal && error.status === 401) return undefined;
		throw error;
	});
	if (!state.apiKey || !(await keyWorks(baseUrl, state.apiKey))) {
		if (!editor) {
			throw new SetupProblem(
				'n8n takes neither the login nor the API key of the last start: both were changed in the editor.',
				'Begin anew: npm start -- --fresh',
			);
		}
		state.apiKey = await createApiKey(editor);
		save();
	}
	return { api: openPublicApi(baseUrl, state.apiKey), passwordWorks: Boolean(editor) };
}

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
 * Makes sure that both credentials exist and fit this start's ports.
 *
 * @param {PublicApi} api
 * @param {DemoState} state gets the credentials' ids
 * @param {() => void} save writes `state`
 * @param {string} sandboxUrl the sandbox's address
 * @throws {N8nRefusal}
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
 * Gives our nodes their credentials.
 *
 * @param {object[]} nodes nodes of a workflow
 * @param {DemoState['credentials']} credentials
 * @param {(id: string | undefined) => boolean} replace whether a node's present credential is to be replaced
 * @returns {object[]} a copy
 */
function withCredentials(nodes, credentials, replace) {
	return nodes.map((node) => {
		const type = credentialOfNode[node.type];
		if (!type || !replace(node.credentials?.[type]?.id)) return node;
		const credential = { id: credentials[type].id, name: credentialNames[type] };
		return { ...node, credentials: { ...node.credentials, [type]: credential } };
	});
}

/**
 * Creates a workflow from the committed example.
 *
 * @param {PublicApi} api
 * @param {DemoState} state has the credentials' ids
 * @returns {Promise<object>} the workflow as n8n has it
 * @throws {N8nRefusal}
 */
async function createExampleWorkflow(api, state) {
	const { name, nodes, connections, settings } = JSON.parse(readFileSync(exampleFile, 'utf8'));
	const ours = withCredentials(nodes, state.credentials, () => true);
	return await api('POST', '/workflows', { name, nodes: ours, connections, settings });
}

/** A person may have deleted a credential in the editor; its successor has another id. */
async function repairCredentials(api, state, workflow) {
	const gone = new Set();
	for (const node of workflow.nodes) {
		const id = node.credentials?.[credentialOfNode[node.type]]?.id;
		if (id && !(await unlessMissing(api('GET', `/credentials/${id}`)))) gone.add(id);
	}
	if (gone.size === 0) return workflow;
	const { name, nodes, connections, settings } = workflow;
	const ours = withCredentials(nodes, state.credentials, (id) => gone.has(id));
	return await api('PUT', `/workflows/${workflow.id}`, { name, nodes: ours, connections, settings });
}

/**
 * Makes sure that the example workflow exists and is active; what a person changed in it stays.
 *
 * @param {PublicApi} api
 * @param {DemoState} state has the credentials' ids, gets the workflow's
 * @param {() => void} save writes `state`
 * @returns {Promise<{ workflow: object, webhookPath: string }>} `webhookPath` begins with a slash and ends with the secret
 * @throws {N8nRefusal}
 * @throws {SetupProblem} when a person removed the trigger from the workflow
 */
export async function ensureWorkflow(api, state, save) {
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
		throw new SetupProblem(
			`The workflow "${workflow.name}" has no Messaging Service Trigger any more.`,
			'Begin anew: npm start -- --fresh\nor delete that workflow in the editor; the next start brings the example back.',
		);
	}
	if (!workflow.active) await api('POST', `/workflows/${workflow.id}/activate`);
	return {
		workflow,
		webhookPath: `/webhook/${trigger.webhookId}/${workflow.id}/${trigger.id}/${state.webhookSecret}`,
	};
}

/**
 * Waits until an activated workflow takes texts: n8n says that it is active some time before.
 *
 * @param {string} webhookUrl the webhook's address with its secret
 * @throws {Error} after half a minute
 */
export async function waitForWebhook(webhookUrl) {
	const wrongSecret = webhookUrl.replace(/[^/]+$/, 'not-the-secret');
	await waitUntil(
		'the workflow’s webhook (see n8n’s log for why it was not registered)',
		async () => {
			const response = await fetch(wrongSecret, { method: 'POST' });
			// Our trigger refuses a wrong secret with nothing at all; n8n describes a webhook it does not know.
			return response.status === 404 && (await response.text()) === '';
		},
		{ withinMs: 30_000 },
	);
}

/**
 * Tells the sandbox's phones where to post the texts people type.
 *
 * @param {string} sandboxUrl the sandbox's address
 * @param {string} webhookUrl the webhook's address with its secret
 * @throws {Error} when the sandbox refuses
 */
export async function connectPhones(sandboxUrl, webhookUrl) {
	const response = await fetch(`${sandboxUrl}/_sandbox/settings`, {
		method: 'PUT',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ inbound_url: webhookUrl, inbound_format: 'form' }),
	});
	if (!response.ok) {
		throw new Error(`The sandbox answered PUT /_sandbox/settings with ${response.status}: ${await response.text()}`);
	}
}
