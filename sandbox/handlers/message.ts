import { contract } from '../../shared/contract';
import { handle, type Handlers } from './handler';
import { requireMessage, messageStatus } from './messageStatus';

/** Endpoints of messages on any channel (service.md, Message status). */
export const message: Handlers['message'] = {
	get: handle(contract.message.get, ({ id }, { store }) => {
		const found = requireMessage(store, id);
		return { ...messageStatus(found), channel: found.channel };
	}),
};
