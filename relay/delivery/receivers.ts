import type { Cipher } from '../cipher';
import type { Services } from '../services';
import { batchSchema, type Batch } from '../subscriptions/schema';
import type { Receiver } from './attempt';

/** A subscription, as its worker needs it. */
export interface ActiveReceiver extends Receiver {
	readonly id: string;
	readonly kind: string;
	readonly batch: Batch | null;
	/** When a receiver that is left alone is tried again; null if it is not, or if a person asks for a retry. */
	readonly nextProbeAt: Date | null;
}

/** Whether the relay itself forwards to this receiver. */
export function isOwn({ kind }: Pick<ActiveReceiver, 'kind'>): boolean {
	return kind === 'service' || kind === 'callback';
}

interface ActiveRow {
	readonly id: string;
	readonly kind: string;
	readonly url: string;
	/** Encrypted. */
	readonly secret: string;
	readonly batch: unknown;
	readonly next_probe_at: Date | null;
}

/**
 * Reads the subscriptions whose events are delivered now.
 * @returns those that can be read, and the IDs of the others
 */
export async function readActive({
	database,
	cipher,
}: Services): Promise<{ readonly active: ActiveReceiver[]; readonly unreadable: string[] }> {
	const rows = await database.query<ActiveRow>(
		`select id, kind, url, secret, batch, next_probe_at from relay.subscription where state = 'active' order by id`,
	);
	const active: ActiveReceiver[] = [];
	const unreadable: string[] = [];
	for (const row of rows) {
		try {
			active.push(toReceiver(row, cipher));
		} catch {
			unreadable.push(row.id);
		}
	}
	return { active, unreadable };
}

function toReceiver({ id, kind, url, secret, batch, next_probe_at }: ActiveRow, cipher: Cipher): ActiveReceiver {
	return {
		id,
		kind,
		url,
		// The relay's own subscriptions are not signed.
		secret: isOwn({ kind }) ? '' : cipher.open(secret),
		batch: batchSchema.nullable().parse(batch),
		onlyZapier: kind === 'zapier',
		nextProbeAt: next_probe_at,
	};
}
