import { useNow } from './clock';
import { formatTime, parseTime } from './format';

/** Properties of {@link Time}. */
export interface TimeProps {
	/** ISO 8601, or `YYYY-MM-DD HH:MM:SS` in UTC. */
	readonly at: string;
	/** Without seconds. */
	readonly short?: boolean;
}

/** A time in the browser's time zone, with the full time in UTC as its tooltip. */
export function Time({ at, short = false }: TimeProps) {
	const now = useNow();
	const time = parseTime(at);
	const iso = time.toISOString();
	return (
		<time dateTime={iso} title={iso.replace('T', ' ').replace('Z', ' UTC')}>
			{formatTime(time, now(), short)}
		</time>
	);
}
