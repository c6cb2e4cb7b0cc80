import { useEffect, useState } from 'preact/hooks';

/** What the last response says about the session and the database. */
export type Condition = 'fine' | 'ended' | 'away';

let current: Condition = 'fine';
const listeners = new Set<() => void>();

/** Follows the responses of the relay. */
export const condition = {
	/** Reads the status of a response. */
	note(status: number): void {
		const next = status === 401 ? 'ended' : status === 503 ? 'away' : 'fine';
		if (next === current) return;
		current = next;
		for (const listener of listeners) listener();
	},
};

/** Returns the current condition and follows its changes. */
export function useCondition(): Condition {
	const [value, setValue] = useState(current);
	useEffect(() => {
		const follow = () => setValue(current);
		follow();
		listeners.add(follow);
		return () => void listeners.delete(follow);
	}, []);
	return value;
}
