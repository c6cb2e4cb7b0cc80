import type { Section, SectionGroup } from '../../../ui/Frame';

/** The sections by group, in the order of the navigation. */
export const sectionGroups = [
	{
		title: '',
		sections: [{ name: 'overview', title: 'Overview', icon: 'M4 13h6V4H4zm0 7h6v-4H4zm10 0h6v-9h-6zm0-16v4h6V4z' }],
	},
	{
		title: 'Messages',
		sections: [
			{ name: 'messages', title: 'Messages', icon: 'M4 5h16v11H9l-5 4z' },
			{ name: 'phone', title: 'Phone', icon: 'M7 3h10v18H7zM11 18h2' },
			{ name: 'inbox', title: 'Inbox', icon: 'M4 13l3-8h10l3 8v6H4zM4 13h5l1 3h4l1-3h5' },
			{ name: 'opt-outs', title: 'Opt-outs', icon: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16M6.5 6.5l11 11' },
			{ name: 'sender-ids', title: 'Sender IDs', icon: 'M4 6h16v12H4zM8 14h4M8 10h8' },
			{ name: 'contacts', title: 'Contacts', icon: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M5 20c0-4 3-6 7-6s7 2 7 6' },
		],
	},
	{
		title: 'Money',
		sections: [
			{ name: 'transactions', title: 'Transactions', icon: 'M4 8h14l-3-3M20 16H6l3 3' },
			{ name: 'top-ups', title: 'Top-ups', icon: 'M4 7h16v12H4zM4 11h16M8 15h3' },
		],
	},
	{
		title: 'Connect',
		sections: [
			{ name: 'keys', title: 'Keys', icon: 'M8 19a4 4 0 1 0 0-8 4 4 0 0 0 0 8M11 12l9-8M16 7l3 3' },
			{ name: 'callbacks', title: 'Callbacks', icon: 'M5 12h10l-4-4M11 16l4-4M19 5v14' },
			{ name: 'api-log', title: 'API log', icon: 'M5 5h14v14H5zM8 9h8M8 12h8M8 15h5' },
		],
	},
	{
		title: 'Test',
		sections: [
			{
				name: 'magic-values',
				title: 'Magic values',
				icon: 'M12 4l2.2 5.8L20 12l-5.8 2.2L12 20l-2.2-5.8L4 12l5.8-2.2z',
			},
			{ name: 'faults', title: 'Faults', icon: 'M12 4l9 16H3zM12 10v4M12 17v.5' },
			{ name: 'clock', title: 'Clock', icon: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16M12 8v4l3 2' },
			{ name: 'settings', title: 'Settings', icon: 'M4 7h9M17 7h3M15 5v4M4 17h3M11 17h9M9 15v4' },
		],
	},
] as const satisfies readonly SectionGroup[];

/** Name of a section in the URL. */
export type SectionName = (typeof sectionGroups)[number]['sections'][number]['name'];

/** The sections in the order of the navigation. */
export const sections: readonly (Section & { readonly name: SectionName })[] = sectionGroups.flatMap(({ sections }) => [
	...sections,
]);
