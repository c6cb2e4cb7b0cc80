import { cut, pass, startHttpProxy, type ProxiedRequest } from './httpProxy';

/** A proxy that loses responses of the server behind it. */
export interface LossyProxy extends AsyncDisposable {
	/** Without a slash at the end. */
	readonly url: string;
	/** All requests, in order. */
	readonly requests: ReadonlyArray<Pick<ProxiedRequest, 'method' | 'path' | 'headers'>>;
	/** The calls that may send, in order. */
	readonly sends: () => LossyProxy['requests'];
	/** Loses the responses to the next calls that may send, after the server behind it has responded. */
	lose(count: number): void;
}

/**
 * Starts a proxy that forwards all requests.
 * @param target the server, without a slash at the end
 * @param prefix path below which the proxy shows the server, such as `/relay`
 */
export async function lossyProxy(target: string, prefix = ''): Promise<LossyProxy> {
	const requests: Array<LossyProxy['requests'][number]> = [];
	let toLose = 0;
	const proxy = await startHttpProxy(async ({ method, path, headers, forward }, response) => {
		requests.push({ method, path, headers });
		const passed = await forward(target, { path: path.slice(prefix.length) });
		if (maySend({ method, path, headers }) && toLose > 0) {
			toLose -= 1;
			cut(response);
			return;
		}
		pass(response, passed);
	});
	return {
		url: `${proxy.url}${prefix}`,
		requests,
		sends: () => requests.filter(maySend),
		lose(count) {
			toLose = count;
		},
		[Symbol.asyncDispose]: proxy.close,
	};
}

/** A client that looks for a relay makes no call. */
function maySend({ method, headers }: LossyProxy['requests'][number]): boolean {
	return method === 'POST' && headers['relay-attempt'] !== '0';
}
