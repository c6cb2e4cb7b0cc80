/** State of an event stream. */
export type Connection = 'connecting' | 'live' | 'lost';

const RETRY_MS = 1000;

/** Options of {@link listen}. */
export interface ListenOptions {
	readonly url: string;
	/** Name of the events. */
	readonly event: string;
	/** Called with the data of each event. */
	readonly onData: (data: string) => void;
	readonly onConnection: (connection: Connection) => void;
	/** Called when the server responds without a stream, such as 401. The browser does not show the status. */
	readonly onRejected?: () => void;
}

/**
 * Listens to a stream of server-sent events and reconnects it. The stream is closed while the page is hidden, because a
 * browser opens only six connections to one address.
 * @returns a function that stops it
 */
export function listen({ url, event, onData, onConnection, onRejected }: ListenOptions): () => void {
	let stream: EventSource | undefined;
	let opening: ReturnType<typeof setTimeout> | undefined;
	const stopping = new AbortController();

	function open(): void {
		if (stream || document.hidden) return;
		onConnection('connecting');
		const opened = new EventSource(url);
		stream = opened;
		opened.addEventListener('open', () => onConnection('live'));
		opened.addEventListener('error', () => {
			if (stream !== opened) return;
			onConnection('lost');
			// After some failures the browser does not reconnect.
			if (opened.readyState !== EventSource.CLOSED) return;
			close();
			onRejected?.();
			opening = setTimeout(open, RETRY_MS);
		});
		opened.addEventListener(event, ({ data }: MessageEvent<string>) => onData(data));
	}

	function close(): void {
		clearTimeout(opening);
		stream?.close();
		stream = undefined;
	}

	const { signal } = stopping;
	document.addEventListener('visibilitychange', () => (document.hidden ? close() : open()), { signal });
	// A page in the browser's back/forward cache would keep its connection.
	addEventListener('pagehide', close, { signal });
	addEventListener('pageshow', open, { signal });
	open();
	return () => {
		stopping.abort();
		close();
	};
}
