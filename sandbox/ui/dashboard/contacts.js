import { control } from './call.js';
import { field, form } from './form.js';
import { formatWord } from './format.js';
import { make } from './make.js';
import { showToast } from './toast.js';
import { actionButton } from './problem.js';
import { card } from './section.js';
import { emptyState, table } from './table.js';
import { time } from './time.js';

const KNOWN = new Set(['id', 'name', 'phone', 'created_at']);

/** The account's contacts. */
export const contacts = {
	title: 'Contacts',
	kinds: ['contacts'],
	open() {
		const fields = [
			field({ name: 'name', label: 'Name', attributes: { maxlength: 100 } }),
			field({ name: 'phone', label: 'Phone number', kind: 'tel', required: true, hint: 'With + and country code' }),
			field({ name: 'city', label: 'City', hint: 'Optional. An example of a custom field.' }),
		];
		const adding = form({
			fields,
			action: 'Add',
			submit: async (values) => {
				await control('POST', 'contacts', values);
				showToast(`${values.name ?? values.phone} was added`);
				await refresh();
			},
		});
		const list = table({
			caption: 'Contacts',
			keyOf: ({ id }) => id,
			columns: [
				{ title: 'Name', lead: true, draw: ({ name }) => name ?? '–' },
				{ title: 'Phone', draw: ({ phone }) => make('span', { class: 'figures' }, phone) },
				{ title: 'Other fields', wide: true, draw: drawOthers },
				{ title: 'Added', draw: ({ created_at }) => time(created_at) },
				{
					title: 'Actions',
					hideTitle: true,
					draw: ({ id, name, phone }) =>
						actionButton({
							words: 'Remove',
							label: `Remove ${name ?? phone}`,
							look: 'small',
							act: async () => {
								list.show(await control('DELETE', `contacts/${encodeURIComponent(id)}`));
								showToast(`${name ?? phone} was removed`);
							},
						}),
				},
			],
			empty: emptyState('No contacts yet', 'Add one above, or let your workflow add them.'),
		});

		async function refresh() {
			list.show(await control('GET', 'contacts'));
		}
		return { element: make('div', {}, card('Add a contact', adding.element), list.element), refresh };
	},
};

function drawOthers(contact) {
	const others = Object.entries(contact).filter(([name]) => !KNOWN.has(name));
	return others.length === 0 ? '–' : others.map(([name, value]) => `${formatWord(name)}: ${value}`).join(' · ');
}
