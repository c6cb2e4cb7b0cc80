import { contract } from '../../shared/contract';
import { HttpError } from '../http/httpError';
import { toTimestamp } from '../http/timestamp';
import type { Contact } from '../store/contacts';
import { handle, type Handlers } from './handler';

/** Converts a contact to the form of the API and the control routes, with its custom fields. */
export function toContact({ id, name, phone, fields, created_at }: Contact) {
	return { ...fields, id: String(id), name, phone, created_at: toTimestamp(created_at) };
}

/** Endpoints of contacts (docs/api.md#contacts). Their fields are the sandbox's choice. */
export const contact: Handlers['contact'] = {
	list: handle(contract.contact.list, (_input, { store }) => store.contacts.list().map(toContact)),

	create: handle(contract.contact.create, ({ name = null, phone, ...fields }, { store, clock }) => {
		const added = store.contacts.add({ name, phone, fields, created_at: clock.now() });
		if (!added) throw new HttpError(422, 'validation', `phone ${phone} already belongs to another contact.`);
		return toContact(added);
	}),
};
