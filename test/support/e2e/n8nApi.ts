import { eventually } from '../eventually';

/** One execution of a workflow, from n8n's public API. */
export interface Execution {
	readonly id: string;
	readonly status: string;
	readonly finished: boolean;
	/** Names of the nodes that ran, in no particular order. */
	readonly ranNodes: readonly string[];
}

/** The part of a workflow that tests read. */
export interface Workflow {
	readonly id: string;
	readonly name: string;
	readonly active: boolean;
	readonly nodes: readonly { readonly id: string; readonly type: string; readonly webhookId?: string }[];
}

interface RawExecution {
	id: string;
	status: string;
	finished: boolean;
	stoppedAt: string | null;
	data?: { resultData: { runData: Record<string, unknown> } };
}

/** n8n's public API. */
export interface N8nApi {
	call<T>(method: string, path: string, body?: object): Promise<T>;
	workflow(id: string): Promise<Workflow>;
	/** All executions of a workflow, oldest first. */
	executions(workflowId: string): Promise<Execution[]>;
	/** Waits until a workflow has this number of executions and all have ended. */
	executionsWhen(workflowId: string, count: number): Promise<Execution[]>;
}

/**
 * Opens n8n's public API.
 * @param n8nUrl n8n's address
 * @param apiKey a key of its public API
 */
export function openN8nApi(n8nUrl: string, apiKey: string): N8nApi {
	async function call<T>(method: string, path: string, body?: object): Promise<T> {
		const response = await fetch(`${n8nUrl}/api/v1${path}`, {
			method,
			headers: { 'X-N8N-API-KEY': apiKey, 'content-type': 'application/json' },
			body: body === undefined ? null : JSON.stringify(body),
		});
		const text = await response.text();
		if (!response.ok) throw new Error(`n8n responded to ${method} ${path} with ${response.status}: ${text}`);
		return JSON.parse(text || 'null') as T;
	}
	async function read(workflowId: string): Promise<RawExecution[]> {
		const path = `/executions?workflowId=${workflowId}&includeData=true&limit=100`;
		return (await call<{ data: RawExecution[] }>('GET', path)).data.reverse();
	}
	const toExecution = ({ id, status, finished, data }: RawExecution): Execution => ({
		id,
		status,
		finished,
		ranNodes: Object.keys(data?.resultData.runData ?? {}),
	});
	return {
		call,
		workflow: async (id) => await call<Workflow>('GET', `/workflows/${id}`),
		executions: async (workflowId) => (await read(workflowId)).map(toExecution),
		executionsWhen: async (workflowId, count) =>
			await eventually(`${count} executions that ended`, async () => {
				const found = await read(workflowId);
				if (found.length > count) throw new Error(`${found.length} executions, not ${count}`);
				const ended = found.length === count && found.every(({ stoppedAt }) => stoppedAt);
				return ended ? found.map(toExecution) : undefined;
			}),
	};
}

/** Calls the editor's own routes, logged in, with the cookies that n8n has set. */
export type Editor = (method: string, path: string, body?: object) => Promise<Response>;

/**
 * Makes the calls of an editor.
 * @param cookies of its session. n8n changes them
 */
export function editorWith(n8nUrl: string, cookies: Map<string, string>): Editor {
	return async (method, path, body) => {
		const response = await fetch(`${n8nUrl}${path}`, {
			method,
			headers: {
				'content-type': 'application/json',
				cookie: [...cookies].map((pair) => pair.join('=')).join('; '),
			},
			...(body && { body: JSON.stringify(body) }),
		});
		for (const line of response.headers.getSetCookie()) {
			const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
			if (name !== undefined && value !== undefined) cookies.set(name, value);
		}
		return response;
	};
}

/**
 * Logs in as the editor does. n8n allows five logins a minute, so the files that share an n8n share a session (`sharedN8n.ts`).
 * @param cookies receives those of the session
 */
export async function logIn(
	n8nUrl: string,
	login: { readonly email: string; readonly password: string },
	cookies = new Map<string, string>(),
): Promise<Editor> {
	const call = editorWith(n8nUrl, cookies);
	const loggedIn = await call('POST', '/rest/login', { emailOrLdapLoginId: login.email, password: login.password });
	if (!loggedIn.ok) throw new Error(`n8n rejected the login: ${loggedIn.status}`);
	return call;
}

/**
 * Lets n8n test a credential, as the editor does when a user saves one.
 * @returns n8n's result
 */
export async function testCredential(
	n8nUrl: string,
	login: { readonly email: string; readonly password: string },
	credential: { readonly id: string; readonly name: string; readonly type: string; readonly data: object },
): Promise<{ status: string; message: string }> {
	const editor = await logIn(n8nUrl, login);
	const response = await editor('POST', '/rest/credentials/test', { credentials: credential });
	return ((await response.json()) as { data: { status: string; message: string } }).data;
}
