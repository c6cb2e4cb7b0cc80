import type { SectionGroup } from '../../../ui/Frame';

/** The sections of the page, in the order of the navigation. */
export const sectionGroups = [
	{
		title: '',
		sections: [
			{ name: 'overview', title: 'Overview', icon: 'M4 13h6V4H4zm0 7h6v-4H4zm10 0h6v-9h-6zm0-16v4h6V4z' },
			{ name: 'events', title: 'Events', icon: 'M5 5h14v14H5zM8 9h8M8 12h8M8 15h5' },
			{ name: 'subscriptions', title: 'Subscriptions', icon: 'M5 12h10l-4-4M11 16l4-4M19 5v14' },
			{ name: 'sends', title: 'Sends', icon: 'M4 12l16-8-6 16-3-7zM11 13l9-9' },
			{ name: 'tokens', title: 'Tokens', icon: 'M8 19a4 4 0 1 0 0-8 4 4 0 0 0 0 8M11 12l9-8M16 7l3 3' },
			{ name: 'privacy', title: 'Privacy', icon: 'M12 3l7 3v6c0 4-3 7-7 9-4-2-7-5-7-9V6zM9 12l2 2 4-4' },
		],
	},
] as const satisfies readonly SectionGroup[];

/** Name of a section in the URL. */
export type SectionName = (typeof sectionGroups)[number]['sections'][number]['name'];
