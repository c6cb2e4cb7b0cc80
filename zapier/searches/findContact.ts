import { defineInputFields, defineSearch, type SearchPerform } from 'zapier-platform-core';
import { contract, readPhoneNumber, type OutputOf } from '../../shared';
import {
	ADVANCED,
	CONTACT_SAMPLE,
	contactOutput,
	isContactDate,
	defaultCountryField,
	unknownRangesField,
} from '../fields';
import { invalid, optionalText, phoneInput, phoneOptions } from '../runtime/inputs';
import { textOption } from '../runtime/optionFields';
import { connect, runReading } from '../runtime/perform';
import { readList } from '../runtime/readList';
import { toOutput } from '../runtime/results';

const inputFields = defineInputFields([
	{
		key: 'phone',
		label: 'Phone',
		type: 'string',
		required: false,
		placeholder: '+233201234567',
		helpText: 'Phone number of the contact, best with `+` and country code. If you enter a name too, both must match.',
	},
	{
		key: 'name',
		label: 'Name',
		type: 'string',
		required: false,
		placeholder: 'Ama Mensah',
		helpText: "Full name of the contact. Upper and lower case don't matter.",
	},
	defaultCountryField,
	unknownRangesField,
]);

type Contact = OutputOf<typeof contract.contact.list>[number];

const NO_PHONES =
	"None of the service's contacts has a readable phone number, so this step can't tell whether the contact exists. Search by name, or ask the service which field holds the phone number.";

const perform = (async (z, bundle) =>
	await runReading(z, bundle, inputFields, async () => {
		// With the wrong country, a number finds no contact, and Find or Create would add a duplicate.
		textOption(bundle, 'default_country');
		textOption(bundle, 'unknown_number_ranges');
		const typed = optionalText(bundle.inputData.phone);
		const phone = typed === undefined ? undefined : phoneInput(bundle, typed, 'phone');
		const name = optionalText(bundle.inputData.name);
		if (phone === undefined && name === undefined)
			throw invalid('phone', 'and Name are both empty: fill in one of them');
		const options = phoneOptions(bundle);
		const hasPhone = (other: string | null | undefined) => {
			const read = readPhoneNumber(other, options);
			return read.ok && read.e164 === phone;
		};
		const fits = (contact: Contact) =>
			(phone === undefined || hasPhone(contact.phone)) &&
			(name === undefined || plainName(contact.name ?? '') === plainName(name));
		const { rows, incomplete } = await readList(connect(z, bundle), contract.contact.list, {
			// Several contacts can share a name, but a number belongs to one contact.
			enough: (_, added) => phone !== undefined && added.some(fits),
		});
		const found = rows.filter(fits);
		// An empty result must be certain, because Find or Create then adds a contact.
		if (found.length === 0 && incomplete) throw incomplete;
		if (phone !== undefined && rows.length > 0 && rows.every((contact) => !contact.phone)) {
			throw new z.errors.Error(NO_PHONES, 'UnreadableContacts');
		}
		return found.map((contact) => toOutput(contactOutput, contact, isContactDate));
	})) satisfies SearchPerform<typeof inputFields>;

/** Longest name that is normalized, in UTF-16 units. Longer names must match exactly. */
const LONGEST_NAME = 1_000;

/** Normalizes a name for comparison: ignores case, kinds of spaces, and ways to encode an accent. */
export function plainName(name: string): string {
	// Normalizing a long run of accents takes more than linear time.
	if (name.length > LONGEST_NAME) return name;
	return name.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase();
}

/** Find Contact: by phone number, name, or both (docs/api.md#list-contacts). */
export const findContact = defineSearch({
	key: 'find_contact',
	noun: 'Contact',
	display: { label: 'Find Contact', description: 'Finds a contact by phone number or name.' },
	operation: {
		inputFields,
		inputFieldGroups: [ADVANCED],
		perform,
		sample: CONTACT_SAMPLE,
		outputFields: contactOutput,
	},
});
