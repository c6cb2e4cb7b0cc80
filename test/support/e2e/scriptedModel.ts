import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

interface Completion {
	readonly messages: ReadonlyArray<{ readonly role: string; readonly content: unknown }>;
	readonly tools?: ReadonlyArray<{
		readonly function: { readonly name: string; readonly description?: string; readonly parameters: unknown };
	}>;
}

/** A scripted language model behind an OpenAI-compatible API. */
export interface ScriptedModel {
	/** Base URL for a credential. */
	readonly url: string;
	/** The requests to it, oldest first. */
	readonly requests: readonly Completion[];
	stop(): Promise<void>;
}

/**
 * Starts the model. In each new conversation it calls the first tool, to send a message to the number in the prompt. Then
 * it responds with the tool's result. After an error it tries once more, as models do.
 * @param message text of the message
 */
export async function startScriptedModel(message: string): Promise<ScriptedModel> {
	return await serveModel((completion, number) => callTool(completion, message, number));
}

/**
 * Starts a model that answers with text and calls no tool.
 * @param answer returns the text for the last words of the user; undefined rejects the request, as an account without credit does
 */
export async function startAnsweringModel(answer: (asked: string) => string | undefined): Promise<ScriptedModel> {
	return await serveModel(({ messages }, number) => {
		const text = answer(JSON.stringify(messages.findLast(({ role }) => role === 'user')?.content ?? ''));
		return text === undefined ? undefined : completionOf({ role: 'assistant', content: text }, 'stop', number);
	});
}

async function serveModel(
	complete: (completion: Completion, number: number) => object | undefined,
): Promise<ScriptedModel> {
	const requests: Completion[] = [];
	const server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			const completion = JSON.parse(Buffer.concat(chunks).toString() || '{}') as Completion;
			requests.push(completion);
			response.setHeader('content-type', 'application/json');
			const completed = complete(completion, requests.length);
			response.statusCode = completed ? 200 : 401;
			response.end(
				JSON.stringify(completed ?? { error: { message: 'Incorrect API key provided', code: 'invalid_api_key' } }),
			);
		});
	});
	await once(server.listen(0, '127.0.0.1'), 'listening');
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}/v1`,
		requests,
		stop: async () => {
			server.closeAllConnections();
			await once(server.close(), 'close');
		},
	};
}

function callTool({ messages, tools = [] }: Completion, text: string, number: number): object {
	const reported = messages.filter(({ role }) => role === 'tool');
	const [tool] = tools;
	const toolParameters = { to: /\+\d+/.exec(JSON.stringify(messages))?.[0], message: text };
	const reviewed = JSON.stringify(tool?.function.parameters ?? {}).includes('toolParameters');
	const call = {
		id: `call_${number}`,
		type: 'function',
		function: {
			name: tool?.function.name,
			arguments: JSON.stringify(reviewed ? { toolParameters, hitlParameters: {} } : toolParameters),
		},
	};
	const last = JSON.stringify(reported.at(-1)?.content ?? '');
	const done = reported.length > 0 && (reviewed || reported.length > 1 || !last.includes('error'));
	const message = done
		? { role: 'assistant', content: `Done: ${last}` }
		: { role: 'assistant', content: null, tool_calls: [call] };
	return completionOf(message, done ? 'stop' : 'tool_calls', number);
}

function completionOf(message: object, reason: string, number: number): object {
	return {
		id: `completion_${number}`,
		object: 'chat.completion',
		created: 0,
		model: 'scripted',
		choices: [{ index: 0, message, finish_reason: reason }],
		usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
	};
}
