import { z } from 'zod/v4';
import { DAY_NAMES } from '../../../shared';
import type { ExampleNode } from './exampleWorkflow';

/** A node that sends at certain hours only. */
const withHours = z.object({
	parameters: z.looseObject({
		options: z.looseObject({
			sendingHours: z.object({ values: z.looseObject({ timeZone: z.literal('Africa/Accra') }) }),
		}),
	}),
});

/** Opens the Sending Hours of an example all day, every day, because tests run at any hour. Give it to `Importer.chosen`. */
export function alwaysOpen(node: ExampleNode): object {
	const days = DAY_NAMES.map((name) => name.toLowerCase());
	return changed(node, { from: '00:00', until: '24:00', days, holidays: '' });
}

/** Sending Hours that are closed at this moment. */
export interface ClosedHours {
	/** Gives them to a node of an example, as `Importer.chosen` does. */
	readonly chosen: (node: ExampleNode) => object;
	/** The time at which they open. */
	readonly opensAt: Date;
}

/**
 * Makes hours that open the day after tomorrow at 8:00 in Ghana. A test that runs at midnight meets no open hour either.
 * @param now the present. Default: the time of the clock
 */
export function closedHours(now = new Date()): ClosedHours {
	// Ghana has UTC.
	const opensAt = new Date(now);
	opensAt.setUTCDate(now.getUTCDate() + 2);
	opensAt.setUTCHours(8, 0, 0, 0);
	const day = DAY_NAMES[opensAt.getUTCDay()] ?? '';
	return {
		opensAt,
		chosen: (node) => changed(node, { from: '08:00', until: '19:00', days: [day.toLowerCase()] }),
	};
}

function changed(node: ExampleNode, hours: object): object {
	const { data } = withHours.safeParse(node);
	if (!data) return {};
	const { options } = data.parameters;
	return { options: { ...options, sendingHours: { values: { ...options.sendingHours.values, ...hours } } } };
}
