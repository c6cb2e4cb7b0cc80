import type { Erased, EventDetail, EventList, Replayed, Status, Token } from '../../http/schemas';
import type { SendList } from '../../sends/schema';
import type { Subscription } from '../../subscriptions/schema';
import { createClient } from '../../../ui/request';
import { condition } from './condition';

/** The token that the page is logged in with. */
export type OwnToken = Pick<Token, 'id' | 'name' | 'kind'>;

/** An event of the list, with the number of its deliveries in each state. */
export type ListedEvent = EventList['data'][number];

/** The relay's API, called with the cookie of the page. */
export const relay = createClient<{
	'GET session': { token: OwnToken | null };
	'POST session': { token: OwnToken };
	'DELETE session': undefined;
	'GET v1/status': Status;
	'GET v1/events': EventList;
	'GET v1/events/:id': EventDetail;
	'DELETE v1/events': Erased;
	'POST v1/events/:id/replay': unknown;
	'POST v1/deliveries/:id/retry': unknown;
	'GET v1/subscriptions': { data: Subscription[] };
	'PATCH v1/subscriptions/:id': Subscription;
	'DELETE v1/subscriptions/:id': undefined;
	'POST v1/subscriptions/:id/test': unknown;
	'POST v1/subscriptions/:id/replay-failed': Replayed;
	'GET v1/sends': SendList;
	'POST v1/sends/:id/settle': unknown;
	'GET v1/tokens': { data: Token[] };
	'POST v1/tokens': Token & { token: string };
	'DELETE v1/tokens/:id': undefined;
}>({ base: '', onStatus: (status) => condition.note(status) });
