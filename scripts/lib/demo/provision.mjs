import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { join } from 'node:path';
import { createApiKey, createOwner, logIn, N8nApiError, openPublicApi } from '../n8n/api.mjs';
import { packageName } from '../n8n/package.mjs';
import { projectFolder } from '../paths.mjs';
import { sandboxApiKey } from '../process/sandbox.mjs';
import { SetupError } from '../setup-error.mjs';
import { waitUntil } from '../process/wait-until.mjs';

const exampleFile = join(projectFolder, 'examples', 'reply-to-inbound-sms.json');

const triggerType = `${packageName}.messagingServiceTrigger`;

const credentialNames = {
	messagingServiceApi: 'Messaging Service (sandbox)',
	messagingServiceRelayApi: 'Messaging Service (relay)',
};

/**
 * The credential type that one of our nodes needs.
 *
 * @param {WorkflowNode} node
 * @returns {keyof typeof credentialNames | undefined}
 */
function credentialOfNode({ type, parameters }) {
	if (type === `${packageName}.messagingService`) return 'messagingServiceApi';
	return type === triggerType && parameters.receiveThrough === 'relay' ? 'messagingServiceRelayApi' : undefined;
}

/** @typedef {ReturnType<typeof openPublicApi>} PublicApi */
/** @typedef {import('./state.mjs').DemoState} DemoState */
/** @typedef {Record<string, { id?: string, name?: string }>} NodeCredentials */
/** @typedef {{ id: string, type: string, disabled?: boolean, webhookId?: string, credentials?: NodeCredentials,
 * parameters: { authentication?: string, receiveThrough?: string } }} WorkflowNode */
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
 * Creates the credential, or updates it to the ports of this start.
 *
 * @param {PublicApi} api
 * @param {DemoState} state gets the credential's ID
 * @param {() => void} save writes `state`
 * @param {string} sandboxUrl the sandbox's address
 * @throws {N8nApiError}
 */
export async function ensureApiCredential(api, state, save, sandboxUrl) {
	await ensureCredential(api, state, save, 'messagingServiceApi', {
		apiKey: sandboxApiKey,
		baseUrl: `${sandboxUrl}/api/v1/`,
		authHeader: 'X-API-Key',
	});
}

/**
 * Creates the credential for the relay, or updates it to the ports of this start.
 *
 * @param {PublicApi} api
 * @param {DemoState} state gets the credential's ID
 * @param {() => void} save writes `state`
 * @param {{ url: string, token: string }} relay its address, and a token for n8n
 * @throws {N8nApiError}
 */
export async function ensureRelayCredential(api, state, save, { url, token }) {
	await ensureCredential(api, state, save, 'messagingServiceRelayApi', { relayUrl: url, relayToken: token });
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
		const type = credentialOfNode(node);
		if (!type || !replace(node.credentials?.[type]?.id)) return node;
		const credential = { id: credentials[type]?.id, name: credentialNames[type] };
		return { ...node, credentials: { ...node.credentials, [type]: credential } };
	});
}

/**
 * Creates a workflow from the committed example. Its trigger receives through the relay, and also WhatsApp messages, so that
 * a simulated phone gets a reply to both.
 *
 * @param {PublicApi} api
 * @param {DemoState} state has the credentials' IDs
 * @returns {Promise<Workflow>} the workflow as n8n returns it
 * @throws {N8nApiError}
 */
async function createExampleWorkflow(api, state) {
	const { name, nodes, connections, settings } = JSON.parse(readFileSync(exampleFile, 'utf8'));
	// The relay forwards each message to the service.
	const parameters = { triggerOn: ['inboundSms', 'inboundWhatsapp'], receiveThrough: 'relay' };
	const relayed = nodes.map((/** @type {WorkflowNode} */ node) =>
		node.type === triggerType ? { ...node, parameters: { ...node.parameters, ...parameters } } : node,
	);
	const ours = withCredentials(relayed, state.credentials, () => true);
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
		const type = credentialOfNode(node);
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
 * @returns {Promise<{ workflow: Workflow, webhookPath: string | undefined, throughRelay: boolean, wasActive: boolean }>}
 * `webhookPath` begins with a slash. It is undefined if the user chose a secret in the URL, because only the user knows the
 * secret. `throughRelay`: the trigger registers its URL at the relay. `wasActive`: n8n activated it at its start
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
	const wasActive = workflow.active;
	if (!wasActive) await api('POST', `/workflows/${workflow.id}/activate`);
	const throughRelay = trigger.parameters.receiveThrough === 'relay';
	const hasSecret = !throughRelay && trigger.parameters.authentication === 'secret';
	return {
		workflow,
		throughRelay,
		wasActive,
		webhookPath: hasSecret ? undefined : `/webhook/${trigger.webhookId}/${workflow.id}/${trigger.id}`,
	};
}

/**
 * Waits until an activated workflow accepts webhooks: n8n reports it as active before that.
 *
 * @param {string} webhookUrl the webhook's address
 * @throws {Error} after half a minute
 */
export async function waitForWebhook(webhookUrl) {
	await waitUntil(
		'the workflow’s webhook. The reason may be in n8n’s log',
		async () => {
			// n8n itself responds to a browser's request for the methods of a URL, so this starts no workflow.
			const { headers } = await fetch(webhookUrl, {
				method: 'OPTIONS',
				headers: { origin: new URL(webhookUrl).origin },
			});
			return headers.get('access-control-allow-methods')?.includes('POST') === true;
		},
		{ withinMs: 30_000 },
	);
}

/**
 * Deactivates a workflow and activates it again, so that its triggers register with their present URLs.
 *
 * @param {PublicApi} api
 * @param {Workflow} workflow
 * @throws {N8nApiError}
 */
export async function activateAgain(api, { id }) {
	await api('POST', `/workflows/${id}/deactivate`);
	await api('POST', `/workflows/${id}/activate`);
}
