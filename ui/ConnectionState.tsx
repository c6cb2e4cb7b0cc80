import type { Connection } from './events';

const TEXTS: Readonly<Record<Connection, string>> = {
	connecting: 'Connecting…',
	live: 'Live',
	lost: 'Connection lost',
};

/** The state of a page's event stream. Screen readers read its changes out. */
export function ConnectionState({ connection }: { readonly connection: Connection }) {
	return (
		<p id="connection" role="status" data-state={connection}>
			{TEXTS[connection]}
		</p>
	);
}
