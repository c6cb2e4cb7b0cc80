import type { contract } from '../contract';
import type { OutputOf } from '../contract/endpoint';

/** A contact's number that a user can choose. */
export interface ContactChoice {
	readonly phone: string;
	/** All names of the number, and the number itself, because two contacts may have the same name. */
	readonly label: string;
}

/**
 * Lists the contacts' numbers that a user can choose from (docs/api.md#list-contacts): each once, with all its names,
 * sorted by label. Contacts without a number are left out.
 * @example contactChoices([{ name: 'Ama', phone: '+233201234567' }])[0]?.label // 'Ama (+233201234567)'
 */
export function contactChoices(
	contacts: ReadonlyArray<OutputOf<typeof contract.contact.list>[number]>,
): ContactChoice[] {
	const namesByPhone = new Map<string, Set<string>>();
	for (const { name, phone } of contacts) {
		const number = phone?.trim();
		if (!number) continue;
		const names = namesByPhone.get(number) ?? new Set();
		if (name?.trim()) names.add(name.trim());
		namesByPhone.set(number, names);
	}
	return [...namesByPhone]
		.map(([phone, names]) => ({ phone, label: names.size > 0 ? `${[...names].join(' / ')} (${phone})` : phone }))
		.sort((a, b) => a.label.localeCompare(b.label));
}
