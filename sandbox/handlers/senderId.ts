import { contract } from '../../shared/contract';
import { toTimestamp } from '../http/timestamp';
import { handle, type Handlers } from './handler';

/** Endpoints of sender IDs (docs/api.md#list-sender-ids). */
export const senderId: Handlers['senderId'] = {
	list: handle(contract.senderId.list, (_input, { store }) =>
		store.senderIds
			.approved()
			.map(({ name, status, created_at }) => ({ name, status, created_at: toTimestamp(created_at) })),
	),
};
