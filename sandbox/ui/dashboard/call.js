import { access } from './access.js';

/** Calls a control route of the sandbox. @throws Error in the sandbox's own words */
export async function control(method, path, body) {
	return (await call(`/_sandbox/${path}`, method, body, {})).answer;
}

/** Reads a part of a list with how long the whole of it is. @throws Error in the sandbox's own words */
export async function controlPage(path) {
	const { answer, response } = await call(`/_sandbox/${path}`, 'GET', undefined, {});
	return { items: answer, total: Number(response.headers.get('x-total-count')) };
}

/** Calls the service's API, as a program would. @throws Error in the service's own words */
export async function api(method, path, body) {
	const key = access.apiKey;
	return (await call(`/api/v1/${path}`, method, body, { 'x-api-key': key })).answer;
}

async function call(url, method, body, headers) {
	let response;
	let text;
	try {
		response = await fetch(url, {
			method,
			headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
			body: body === undefined ? undefined : JSON.stringify(body),
		});
		text = await response.text();
	} catch {
		throw new Error('No answer came: the connection was closed, or the sandbox is not running.');
	}
	const answer = read(text);
	if (!response.ok) throw new Error(wordsOf(answer) ?? `It was answered with ${response.status}.`);
	if (answer === undefined) throw new Error(`It was answered with ${response.status} and something that is not JSON.`);
	if (answer.success === false) throw new Error(wordsOf(answer) ?? 'It was refused.');
	return { answer, response };
}

function read(text) {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** Finds the words in an error body, whichever shape the answers have been switched to. */
function wordsOf(answer) {
	const candidates = [answer?.message, answer?.error?.message, answer?.error, answer?.errors?.[0]?.message];
	return candidates.find((candidate) => typeof candidate === 'string' && candidate !== '');
}
