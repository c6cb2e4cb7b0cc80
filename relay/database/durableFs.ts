import { fsyncSync } from 'node:fs';
import { NodeFS } from '@electric-sql/pglite/nodefs';

/**
 * PGlite's file system, with an fsync that reaches the disk. PGlite's own returns without doing anything, so a power
 * failure could lose acknowledged events.
 */
export class DurableFs extends NodeFS {
	#syncs = 0;

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
		});
		return made;
	}
}

interface StreamOperations {
	readonly stream_ops: { fsync?: (stream: { readonly nfd: number }) => number };
}

function streamOperations(mod: object): StreamOperations {
	const system: unknown = 'NODEFS' in mod ? mod.NODEFS : undefined;
	if (!hasStreamOperations(system)) throw new Error('PGlite changed: its file system has no stream operations');
	return system;
}

function hasStreamOperations(system: unknown): system is StreamOperations {
	return typeof system === 'object' && system !== null && 'stream_ops' in system;
}
