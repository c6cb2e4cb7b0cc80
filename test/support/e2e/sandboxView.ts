/** A message that the sandbox has sent. */
export interface SentMessage {
	readonly message_id: string;
	readonly channel: string;
	readonly status: string;
	readonly to: string;
	readonly sender_id: string;
	readonly message: string;
	readonly cost: number;
}

/** The sandbox's control routes, and a phone to send messages from. */
export interface SandboxView {
	messages(): Promise<SentMessage[]>;
	balance(): Promise<number>;
	text(from: string, to: string, message: string): Promise<void>;
	/** Calls a control route (sandbox/README.md#control-routes). Throws unless the response is a 2xx. */
	control<T>(method: string, path: string, body?: object): Promise<T>;
}

/**
 * Opens the sandbox's control routes.
 * @param sandboxUrl its address
 */
export function openSandboxView(sandboxUrl: string): SandboxView {
	async function control<T>(method: string, path: string, body?: object): Promise<T> {
		const response = await fetch(`${sandboxUrl}/_sandbox${path}`, {
			method,
			...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
		});
		if (!response.ok) {
			throw new Error(`The sandbox responded to ${method} ${path} with ${response.status}: ${await response.text()}`);
		}
		return (await response.json()) as T;
	}
	return {
		control,
		messages: async () => await control<SentMessage[]>('GET', '/messages'),
		balance: async () => (await control<{ balance: number }>('GET', '/wallet')).balance,
		async text(from, to, message) {
			await control('POST', `/phones/${encodeURIComponent(from)}/texts`, { to, message });
		},
	};
}
