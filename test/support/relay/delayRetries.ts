import type { TestDatabase } from './databases';

/** Lets the retries of a subscription wait two hours longer, as after several failed attempts. Only on PostgreSQL. */
export async function delayRetries(database: TestDatabase, subscription: string): Promise<void> {
	await database.query(
		`update relay.delivery set next_at = next_at + interval '2 hours' where subscription_id = $1 and state = 'pending'`,
		[subscription],
	);
	await database.query(
		`update pgboss.job set start_after = start_after + interval '2 hours'
		where name = 'to_' || $1 and state < 'active' and (data ->> 'version')::int > 0`,
		[subscription],
	);
}
