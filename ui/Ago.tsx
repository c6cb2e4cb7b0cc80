import { useState } from 'preact/hooks';
import { useNow } from './clock';
import { formatAge, formatAgo, parseTime } from './format';
import { useInterval } from './live';

const REFRESH_MS = 5_000;

/** Properties of {@link Ago}. */
export interface AgoProps {
	/** ISO 8601. */
	readonly at: string;
	/** Only the length of time, such as `3 hours`. */
	readonly plain?: boolean;
}

/** The time since a moment or until it, such as `3 hours ago`, with the exact time as its tooltip. */
export function Ago({ at, plain = false }: AgoProps) {
	const now = useNow();
	const [, setTurn] = useState(0);
	useInterval(() => setTurn((turn) => turn + 1), REFRESH_MS);
	const time = parseTime(at);
	return (
		<time
			class="ago"
			dateTime={time.toISOString()}
			title={time.toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'long' })}
		>
			{(plain ? formatAge : formatAgo)(time, now())}
		</time>
	);
}
