import { bodyOf, type Operation } from './document';

/** Where calls go, and with which key. */
export interface Target {
	/** Without a slash at the end. */
	readonly url: string;
	readonly apiKey: string;
}

/** Writes a call as a command for a shell. Values of the path are placeholders in capitals. */
export function curlOf(method: string, path: string, operation: Operation, { url, apiKey }: Target): string {
	const address = `${url}${path.replace(/\{(\w+)\}/g, (_, name: string) => name.toUpperCase())}`;
	const example = bodyOf(operation.requestBody)?.example;
	const lines = [
		`curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}${quote(address)}`,
		`-H ${quote(`X-API-Key: ${apiKey}`)}`,
		...(example === undefined
			? []
			: [`-H ${quote('content-type: application/json')}`, `-d ${quote(JSON.stringify(example))}`]),
	];
	return lines.join(' \\\n  ');
}

function quote(text: string): string {
	return `'${text.replaceAll("'", `'\\''`)}'`;
}
