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

/** Reads the subscriptions whose events are delivered now. */
export async function readActive({ database, cipher }: Services): Promise<ActiveReceiver[]> {
	const rows = await database.query<{
		id: string;
		kind: string;
		url: string;
		secret: string;
		batch: unknown;
		next_probe_at: Date | null;
	}>(`select id, kind, url, secret, batch, next_probe_at from relay.subscription where state = 'active' order by id`);
	return rows.map(({ id, kind, url, secret, batch, next_probe_at }) => ({
		id,
		kind,
		url,
		secret: cipher.open(secret),
		batch: batchSchema.nullable().parse(batch),
		onlyZapier: kind === 'zapier',
		nextProbeAt: next_probe_at,
	}));
}
