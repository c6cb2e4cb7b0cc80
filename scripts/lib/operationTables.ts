import { z } from 'zod/v4';
import { operations, properties } from '../../nodes/MessagingService/operations';
import type { Operation } from '../../nodes/MessagingService/execution/operation';
import { app } from '../../zapier/app';
import { privateCreates } from '../../zapier/privateCreates';
import { compatibilityRows } from './compatibility';

/** A table of a page, made from the n8n node, the Zapier app, or the results of a test. */
export interface GeneratedTable {
	/** Path of the page from the root of the repository. */
	readonly page: string;
	/** Its name in the markers around it. */
	readonly name: string;
	/** The rows in Markdown, not aligned. */
	readonly markdown: string;
}

/** Every table that `npm run generate` writes. */
export function generatedTables(): GeneratedTable[] {
	return [
		{ page: 'docs/n8n.md', name: 'operations', markdown: nodeOperations() },
		{ page: 'zapier/README.md', name: 'actions', markdown: zapierSteps('action', app.creates) },
		{ page: 'zapier/README.md', name: 'searches', markdown: zapierSteps('search', app.searches) },
		{ page: 'docs/compatibility.md', name: 'compatibility', markdown: versionTable() },
	];
}

/**
 * Replaces a table between its markers.
 * @returns the text of the page with the new table
 * @throws Error if the page has no such markers
 */
export function replaceTable(text: string, { page, name, markdown }: GeneratedTable): string {
	const [start, end] = [`<!-- ${name}: written by npm run generate -->`, `<!-- end of ${name} -->`];
	const [before, rest] = text.split(start);
	const after = rest?.split(end)[1];
	if (before === undefined || after === undefined) throw new Error(`${page} has no markers for ${name}`);
	return `${before}${start}\n\n${markdown}\n\n${end}${after}`;
}

function table(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
	return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function versionTable(): string {
	const { head, rows } = compatibilityRows();
	return table(head, rows);
}

function nodeOperations(): string {
	const names = new Map(
		properties
			.filter(({ name }) => name === 'resource')
			.flatMap(({ options = [] }) => options)
			.map((option) => ['value' in option ? String(option.value) : '', option.name]),
	);
	const rows = Object.entries<Record<string, Operation>>(operations).flatMap(([resource, all]) =>
		Object.values(all).map(({ option }, index) => [
			index === 0 ? (names.get(resource) ?? '') : '',
			option.name,
			option.description ?? '',
		]),
	);
	return table(['resource', 'operation', 'what it does'], rows);
}

const field = z.looseObject({ key: z.string(), label: z.string(), group: z.string().optional() });
const zapierStep = z.looseObject({
	display: z.looseObject({ label: z.string(), description: z.string() }),
	operation: z.looseObject({ inputFields: z.array(z.unknown()), outputFields: z.array(field) }),
});
/** Fields that the pages describe once for all steps. */
const COMMON = ['default_country', 'unknown_number_ranges', 'landlines', 'send_once_key', 'key_scope', 'dry_run'];

function zapierSteps(kind: 'action' | 'search', steps: Readonly<Record<string, unknown>>): string {
	const rows = Object.entries(steps).map(([key, step]) => {
		const { display, operation } = zapierStep.parse(step);
		const fields = operation.inputFields.flatMap((given) => field.safeParse(given).data ?? []);
		const labels = fields
			.filter((one) => !COMMON.includes(one.key))
			.map(({ label, group }) => (group ? `${label} (${group})` : label));
		const dynamic = operation.inputFields.some((given) => typeof given === 'function')
			? ['others by their values']
			: [];
		const note = key in privateCreates ? ' [Private builds only](#upload-a-private-copy)' : '';
		return [
			`**${display.label}** (\`${key}\`)`,
			`${display.description}${note}`,
			[...labels, ...dynamic].join(', '),
			groupLabels(operation.outputFields.map(({ label }) => label)),
		];
	});
	return table([`${kind} (\`key\`)`, kind === 'action' ? 'what it does' : 'what it finds', 'fields', 'outputs'], rows);
}

/** Lists labels, those of a group such as `Result: Status` in brackets behind its name. */
function groupLabels(labels: readonly string[]): string {
	const groups = new Map<string, string[]>();
	for (const label of labels) {
		const [name = '', part] = label.split(': ');
		groups.set(name, [...(groups.get(name) ?? []), ...(part === undefined ? [] : [part])]);
	}
	return [...groups].map(([name, parts]) => (parts.length > 0 ? `${name} (${parts.join(', ')})` : name)).join(', ');
}
