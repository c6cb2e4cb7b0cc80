const RETRY_MS = 1000;

/**
 * Listens to the sandbox's changes through one event stream. It is closed while the page is hidden, because a
 * browser opens only six connections to one address.
 * @param {(kinds: ReadonlySet<string> | 'all') => void} onChange `all` if changes may have been missed
 * @param {(state: 'connecting' | 'live' | 'lost') => void} onState
 */
export function listen(onChange, onState) {
	let events;
	let opening;

	function open() {
		if (events || document.hidden) return;
		onState('connecting');
		events = new EventSource('/_sandbox/events');
		events.addEventListener('open', () => onState('live'));
		events.addEventListener('error', () => {
			onState('lost');
			// After some failures the browser does not reconnect.
			if (events?.readyState !== EventSource.CLOSED) return;
			close();
			opening = setTimeout(open, RETRY_MS);
		});
		events.addEventListener('change', (event) => {
			const { kinds } = JSON.parse(event.data);
			// The first event of each connection names nothing.
			onChange(kinds.length === 0 ? 'all' : new Set(kinds));
		});
	}

	function close() {
		clearTimeout(opening);
		events?.close();
		events = undefined;
	}

	document.addEventListener('visibilitychange', () => (document.hidden ? close() : open()));
	// A page in the browser's back/forward cache would keep its connection.
	addEventListener('pagehide', close);
	addEventListener('pageshow', open);
	open();
}
