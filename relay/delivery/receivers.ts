import type { Services } from '../services';
import { batchSchema, type Batch } from '../subscriptions/schema';
import type { Receiver } from './attempt';

/** A subscription, as its worker needs it. */
export interface ActiveReceiver extends Receiver {
	readonly id: string;
	readonly kind: string;
	readonly batch: Batch | null;
}

/** Reads the subscriptions whose events are delivered now. */
export async function readActive({ database, cipher }: Services): Promise<ActiveReceiver[]> {
	const rows = await database.query<{
		id: string;
		kind: string;
		url: string;
		secret: string;
		batch: unknown;
	}>(`select id, kind, url, secret, batch from relay.subscription where state = 'active' order by id`);
	return rows.map(({ id, kind, url, secret, batch }) => ({
		id,
		kind,
		url,
		secret: cipher.open(secret),
		batch: batchSchema.nullable().parse(batch),
		onlyZapier: kind === 'zapier',
	}));
}
