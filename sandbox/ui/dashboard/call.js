import { access } from './access.js';

/** Calls a control route of the sandbox. @throws Error with the sandbox's message */
export async function control(method, path, body) {
	return (await call(`/_sandbox/${path}`, method, body, {})).data;
}

/** Reads a page of a list, and the length of the whole list. @throws Error with the sandbox's message */
export async function controlPage(path) {
	const { data, response } = await call(`/_sandbox/${path}`, 'GET', undefined, {});
	return { items: data, total: Number(response.headers.get('x-total-count')) };
}

/** Calls the service's API, as a program would. @throws Error with the service's message */
export async function api(method, path, body) {
	const key = access.apiKey;
	return (await call(`/api/v1/${path}`, method, body, { 'x-api-key': key })).data;
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
		throw new Error(
			'There was no response. The connection was closed, or the sandbox is not running. Check its terminal.',
		);
	}
	const data = read(text);
	if (!response.ok) throw new Error(messageOf(data) ?? `The response was ${response.status}, without a reason.`);
	if (data === undefined) throw new Error(`The response was ${response.status}, but its body is not JSON.`);
	if (data.success === false) throw new Error(messageOf(data) ?? 'The request was rejected without a reason.');
	return { data, response };
}

function read(text) {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** Finds the message in an error body, in any of the response shapes. */
function messageOf(body) {
	const candidates = [body?.message, body?.error?.message, body?.error, body?.errors?.[0]?.message];
	return candidates.find((candidate) => typeof candidate === 'string' && candidate !== '');
}
