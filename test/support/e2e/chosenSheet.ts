import { z } from 'zod/v4';
import type { Sheet } from '../thirdParty/google/sheets';
import type { ExampleNode } from './exampleWorkflow';

/** A node of Google Sheets that leaves the choice of the sheet to the user. */
const toChoose = z.object({
	type: z.literal('n8n-nodes-base.googleSheets'),
	parameters: z.object({ sheetName: z.object({ value: z.literal('') }) }),
});

const assignment = z.looseObject({ name: z.string() });

/** A node of settings, to which the user adds the link of the sheet. */
const withLink = z.object({
	parameters: z.object({
		assignments: z.object({
			assignments: z
				.array(assignment)
				.refine((all) => all.some(({ name }) => name === 'spreadsheet'), 'has no field for the spreadsheet'),
		}),
	}),
});

/**
 * Chooses the sheet in a node of an example, as its blue note says. Nodes that use the sheet of another node stay as they are.
 * @returns the parameters to change, as `Importer.chosen` does
 */
export function chosenSheet(node: ExampleNode, sheet: Sheet): object {
	if (toChoose.safeParse(node).success) {
		return {
			documentId: { __rl: true, mode: 'list', value: sheet.id, cachedResultName: sheet.name },
			sheetName: { __rl: true, mode: 'list', value: sheet.tab.id, cachedResultName: sheet.tab.name },
		};
	}
	const { data } = withLink.safeParse(node);
	if (!data) return {};
	const link = `https://docs.google.com/spreadsheets/d/${sheet.id}/edit?gid=${sheet.tab.id}#gid=${sheet.tab.id}`;
	const { assignments } = data.parameters.assignments;
	return {
		assignments: {
			assignments: assignments.map((one) => (one.name === 'spreadsheet' ? { ...one, value: link } : one)),
		},
	};
}
