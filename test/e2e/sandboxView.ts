/** A message the sandbox has sent. */
export interface SentMessage {
	readonly to: string;
	readonly sender_id: string;
	readonly message: string;
	readonly cost: number;
}

/** What the sandbox shows of itself, and a phone to text from. */
export interface SandboxView {
	messages(): Promise<SentMessage[]>;
	balance(): Promise<number>;
	text(from: string, to: string, message: string): Promise<void>;
}

/**
 * Opens the sandbox's control routes.
 * @param sandboxUrl its address
 */
export function openSandboxView(sandboxUrl: string): SandboxView {
	async function get<T>(path: string): Promise<T> {
		const response = await fetch(`${sandboxUrl}/_sandbox${path}`);
		if (!response.ok) throw new Error(`The sandbox answered ${path} with ${response.status}`);
		return (await response.json()) as T;
	}
	return {
		messages: async () => await get<SentMessage[]>('/messages'),
		balance: async () => (await get<{ balance: number }>('/wallet')).balance,
		async text(from, to, message) {
			const response = await fetch(`${sandboxUrl}/_sandbox/phones/${encodeURIComponent(from)}/texts`, {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify({ to, message }),
			});
			if (!response.ok) throw new Error(`The sandbox refused the text: ${await response.text()}`);
		},
	};
}
