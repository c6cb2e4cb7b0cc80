import { fsyncSync } from 'node:fs';
import { NodeFS } from '@electric-sql/pglite/nodefs';

/** Where PostgreSQL has its write-ahead log. */
const LOG_FOLDER = '/pg_wal/';

/** ENOSPC, as WASI numbers it. */
const NO_SPACE = 51;

/**
 * PGlite's file system, with an fsync that reaches the disk. PGlite's own returns without doing anything, so a power
 * failure could lose acknowledged events.
 */
export class DurableFs extends NodeFS {
	#syncs = 0;
	readonly #onLogFull: () => void;

	/**
	 * @param folder the folder of the database
	 * @param onLogFull is called if the disk is full and the write-ahead log cannot grow. PostgreSQL ends then, but PGlite
	 * would use the processor forever and never respond. So this has to end the process
	 */
	constructor(folder: string, onLogFull: () => void) {
		super(folder);
		this.#onLogFull = onLogFull;
	}

	/** How often the database asked for an fsync. It stays 0 if a new version of PGlite no longer calls this one. */
	get syncs(): number {
		return this.#syncs;
	}

	override async init(...args: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
		const made = await super.init(...args);
		made.emscriptenOpts.preRun ??= [];
		const { preRun } = made.emscriptenOpts;
		if (!Array.isArray(preRun)) throw new Error('PGlite changed: preRun is not a list');
		preRun.push((mod: object) => {
			const { stream_ops } = streamOperations(mod);
			stream_ops.fsync = ({ nfd }) => {
				fsyncSync(nfd);
				this.#syncs += 1;
				return 0;
			};
			const { write } = stream_ops;
			stream_ops.write = (stream, buffer, offset, length, position) => {
				const isLog = stream.path.includes(LOG_FOLDER);
				try {
					const written = write(stream, buffer, offset, length, position);
					// The last blocks of a disk take a part.
					if (isLog && written < length) this.#onLogFull();
					return written;
				} catch (error) {
					if (isLog && isNoSpace(error)) this.#onLogFull();
					throw error;
				}
			};
		});
		return made;
	}
}

/** A file that is open. */
interface Stream {
	readonly nfd: number;
	readonly path: string;
}

interface StreamOperations {
	readonly stream_ops: {
		fsync?: (stream: Stream) => number;
		write: (stream: Stream, buffer: unknown, offset: number, length: number, position: unknown) => number;
	};
}

function isNoSpace(error: unknown): boolean {
	return typeof error === 'object' && error !== null && 'errno' in error && error.errno === NO_SPACE;
}

function streamOperations(mod: object): StreamOperations {
	const system: unknown = 'NODEFS' in mod ? mod.NODEFS : undefined;
	if (!hasStreamOperations(system)) throw new Error('PGlite changed: its file system has no stream operations');
	return system;
}

function hasStreamOperations(system: unknown): system is StreamOperations {
	return typeof system === 'object' && system !== null && 'stream_ops' in system;
}
