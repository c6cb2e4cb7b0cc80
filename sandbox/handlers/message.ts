import { contract } from '../../shared/contract';
import { handle, type Handlers } from './handler';
import { requireMessage, messageStatus } from './messageStatus';

/** Endpoints of messages on any channel (docs/api.md#get-a-message). */
export const message: Handlers['message'] = {
	get: handle(contract.message.get, ({ id }, { store }) => {
		const found = requireMessage(store, id);
		return { ...messageStatus(found), channel: found.channel };
	}),
};
