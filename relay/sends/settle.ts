import type { Services } from '../services';
import { HttpError } from '../http/httpError';
import type { Send, SendList, SendQuery, Settle } from './schema';
import type { Mode } from './mode';
import type { SendState, StoredFields } from './store';

interface SendRow {
	readonly id: string;
	readonly mode: Mode;
	readonly endpoint: string;
	readonly state: SendState;
	readonly recipient: string | null;
	readonly recipient_end: string | null;
	readonly erased: boolean;
	readonly status: number | null;
	readonly fields: StoredFields | null;
	readonly settled_by: 'service' | 'person' | null;
	readonly created_at: Date;
	readonly settled_at: Date | null;
}

/** A call in flight beyond its time is unknown, even before the row says so. */
const STATE = `case when s.state = 'in_flight' and s.until <= clock_timestamp() then 'unknown' else s.state end`;

const COLUMNS = `s.id, s.mode, s.endpoint, ${STATE} as state, s.recipient, s.recipient_end, s.erased, s.status, s.fields,
	s.settled_by, s.created_at, s.settled_at`;

/** Conditions for the sends of a state. Most are accepted, and an index has all others. */
const IN_STATE: Readonly<Record<SendState, string>> = {
	accepted: `s.state = 'accepted'`,
	unknown: `s.state <> 'accepted' and ${STATE} = 'unknown'`,
	in_flight: `s.state <> 'accepted' and ${STATE} = 'in_flight'`,
};

/**
 * Lists sends, newest first.
 * @throws HttpError 422 if the list should continue after a send that is not kept
 */
export async function listSends(services: Services, { state, limit, before }: SendQuery): Promise<SendList> {
	if (before !== undefined) {
		const [known] = await services.database.query('select 1 as one from relay.send where id = $1', [before]);
		if (!known) throw new HttpError(422, 'invalid', 'There is no send with this ID. Use an ID of the list.', 'before');
	}
	const rows = await services.database.query<SendRow>(
		`select ${COLUMNS} from relay.send s
		where ${state === undefined ? 'true' : IN_STATE[state]}
			and ($1::text is null or (s.created_at, s.id) < (select b.created_at, b.id from relay.send b where b.id = $1))
		order by s.created_at desc, s.id desc limit $2::int`,
		[before ?? null, limit + 1],
	);
	return { data: rows.slice(0, limit).map((row) => toSend(services, row)), has_more: rows.length > limit };
}

/**
 * Reads a send.
 * @throws HttpError 404
 */
export async function readSend(services: Services, id: string): Promise<Send> {
	const [row] = await services.database.query<SendRow>(`select ${COLUMNS} from relay.send s where s.id = $1`, [id]);
	if (!row) throw notFound();
	return toSend(services, row);
}

/**
 * Settles an unknown send as a person says. `arrived` keeps its key, and `send_again` frees it. A late response of the
 * service changes neither.
 * @throws HttpError 404; 409 if its outcome is known, or it is in flight
 */
export async function settleSend({ database, changes }: Services, id: string, { outcome }: Settle): Promise<void> {
	const statement =
		outcome === 'arrived'
			? `update relay.send s set state = 'accepted', settled_by = 'person', settled_at = clock_timestamp(),
				recipient = null, status = null, fields = null where s.id = $1 and ${STATE} = 'unknown' returning s.id`
			: `delete from relay.send s where s.id = $1 and ${STATE} = 'unknown' returning s.id`;
	const settled = await database.query(statement, [id]);
	if (settled.length > 0) {
		changes.announce('sends');
		return;
	}
	const [known] = await database.query('select 1 as one from relay.send where id = $1', [id]);
	if (!known) throw notFound();
	throw new HttpError(
		409,
		'not_unknown',
		'The outcome of this send is known, or it is in flight. Nothing was changed.',
	);
}

function notFound(): HttpError {
	return new HttpError(404, 'not_found', 'This send does not exist. A send that was rejected is not kept.');
}

function toSend({ cipher }: Services, row: SendRow): Send {
	const { id, state, mode, endpoint, recipient, recipient_end, erased, status, fields, settled_by } = row;
	const messageId = fields?.message_id;
	return {
		id,
		state,
		mode,
		endpoint,
		to: recipient === null ? null : cipher.open(recipient),
		to_end: recipient_end,
		erased,
		message_id: messageId === undefined ? null : String(messageId),
		status,
		settled_by,
		created_at: row.created_at.toISOString(),
		settled_at: row.settled_at?.toISOString() ?? null,
	};
}
