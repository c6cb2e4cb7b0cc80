import { createContext } from 'preact';
import { useContext, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Connection, listen } from './events';
import { errorMessage } from './request';

/** The least time between two refreshes, because changes come in bursts. */
const REFRESH_MS = 250;

/** Kinds of data that changed, or `all` if changes may have been missed. */
export type Changed = ReadonlySet<string> | 'all';

/** State of the data on the page. */
export interface LiveState {
	readonly connection: Connection;
	/** Whether some data has not arrived yet. */
	readonly busy: boolean;
	/** Why some data could not be read, or an empty text. */
	readonly problem: string;
}

interface LoadState {
	readonly busy: boolean;
	readonly problem: string;
}

/** The changes on a server, and the state of all data on the page. */
export interface Live {
	/** Calls the listener with the kinds of each change. @returns a function that stops it */
	onChange(listener: (changed: Changed) => void): () => void;
	/** Calls the listener after the state changes. @returns a function that stops it */
	onState(listener: () => void): () => void;
	state(): LiveState;
	/** Stores the state of one load, or forgets it. */
	report(load: object, state: LoadState | undefined): void;
	stop(): void;
}

/** Reads the kinds of an event's data, `{kinds: string[]}`. */
function readKinds(data: string): readonly string[] {
	return (JSON.parse(data) as { kinds: string[] }).kinds;
}

/**
 * Listens to a server's changes.
 * @param url a stream of events `change`
 * @param kindsOf reads which kinds of data changed. Without kinds, changes may have been missed
 */
export function createLive(url: string, kindsOf: (data: string) => readonly string[] = readKinds): Live {
	const changes = new Set<(changed: Changed) => void>();
	const states = new Set<() => void>();
	const loads = new Map<object, LoadState>();
	let connection: Connection = 'connecting';
	const changed = () => states.forEach((listener) => listener());
	const announce = (kinds: Changed) => changes.forEach((listener) => listener(kinds));
	const stop = listen({
		url,
		event: 'change',
		onData: (data) => {
			const kinds = kindsOf(data);
			announce(kinds.length === 0 ? 'all' : new Set(kinds));
		},
		// Reading the data shows why, for example that the session ended.
		onRejected: () => announce('all'),
		onConnection: (next) => {
			connection = next;
			changed();
		},
	});
	return {
		onChange: (listener) => add(changes, listener),
		onState: (listener) => add(states, listener),
		state: () => ({
			connection,
			busy: [...loads.values()].some(({ busy }) => busy),
			problem: [...loads.values()].find(({ problem }) => problem !== '')?.problem ?? '',
		}),
		report: (load, state) => {
			if (state) loads.set(load, state);
			else loads.delete(load);
			changed();
		},
		stop,
	};
}

function add<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
	listeners.add(listener);
	return () => listeners.delete(listener);
}

/** Gives {@link useLive} its stream of changes. */
export const LiveContext = createContext<Live | undefined>(undefined);

function useLiveContext(): Live {
	const live = useContext(LiveContext);
	if (!live) throw new Error('useLive needs a LiveContext.Provider above it.');
	return live;
}

/** Returns the state of the connection and of all data on the page. */
export function useLiveState(): LiveState {
	const live = useLiveContext();
	const [state, setState] = useState(() => live.state());
	useLayoutEffect(() => {
		const update = () => {
			const next = live.state();
			setState((last) => (JSON.stringify(last) === JSON.stringify(next) ? last : next));
		};
		update();
		return live.onState(update);
	}, [live]);
	return state;
}

/** Data that follows the server. */
export interface LiveData<Data> {
	/** Undefined until it has arrived. */
	readonly data: Data | undefined;
	/** Why it could not be read, or an empty text. The top of the page shows it, too. */
	readonly problem: string;
	/** Reads the data again, without waiting for a change. */
	readonly refresh: () => Promise<void>;
}

/**
 * Reads data, and reads it again whenever the server reports a change. While another key is read, the data of the last
 * one stays.
 * @param kinds kinds of changes that can change the data
 * @param key identifies what to read. A new key is read at once
 * @param load reads it
 */
export function useLive<Data>(kinds: readonly string[], key: string, load: () => Promise<Data>): LiveData<Data> {
	const live = useLiveContext();
	const [data, setData] = useState<Data>();
	const [problem, setProblem] = useState('');
	const latest = useRef({ kinds, load });
	latest.current = { kinds, load };
	const refresh = useRef(async () => {});

	useLayoutEffect(() => {
		const self = {};
		let ended = false;
		let asked = 0;
		let shown = 0;
		let waiting = false;
		let again = false;

		async function read(): Promise<void> {
			asked += 1;
			const turn = asked;
			let failure = '';
			try {
				const data = await latest.current.load();
				// The response to an older request may come after the newer one's.
				if (ended || turn < shown) return;
				setData(() => data);
			} catch (error) {
				failure = errorMessage(error);
			}
			if (ended || turn < shown) return;
			shown = turn;
			setProblem(failure);
			live.report(self, { busy: false, problem: failure });
		}

		async function follow(): Promise<void> {
			again = true;
			if (waiting) return;
			waiting = true;
			while (again && !ended) {
				again = false;
				await read();
				await new Promise((resolve) => setTimeout(resolve, REFRESH_MS));
			}
			waiting = false;
		}

		live.report(self, { busy: true, problem: '' });
		refresh.current = read;
		const stop = live.onChange((changed) => {
			if (changed === 'all' || latest.current.kinds.some((kind) => changed.has(kind))) void follow();
		});
		void follow();
		return () => {
			ended = true;
			stop();
			live.report(self, undefined);
		};
	}, [live, key]);

	const [result] = useState(() => async () => await refresh.current());
	return { data, problem, refresh: result };
}

/** Calls a function each `milliseconds`, while the component is on the page. */
export function useInterval(action: () => void, milliseconds: number): void {
	const latest = useRef(action);
	latest.current = action;
	useEffect(() => {
		const interval = setInterval(() => latest.current(), milliseconds);
		return () => clearInterval(interval);
	}, [milliseconds]);
}
