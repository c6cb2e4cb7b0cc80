import type { Digest } from './digests';

/** The header `Via` of calls to the service. By it, a relay recognizes a call that comes back to it. */
export interface Via {
	/** Adds this relay to the header of a call. */
	add(header: string | undefined): string;
	/** Whether a call has passed through this relay, or through another process on its database. */
	includes(header: string | undefined): boolean;
}

/**
 * Creates the entry of this relay, such as `1.1 relay-Qp3x` (RFC 9110, 7.6.3). The random part is a digest, so all processes
 * on one database share it, and no name of the network gets out.
 */
export function createVia(digest: Digest): Via {
	const name = `relay-${digest('via', '').slice(0, 22)}`;
	const own = `1.1 ${name}`;
	return {
		add: (header = '') => (header.trim() === '' ? own : `${header}, ${own}`),
		includes: (header = '') => header.split(',').some((entry) => entry.trim().split(/\s+/)[1] === name),
	};
}
