import { globSync, readFileSync } from 'node:fs';
import { join, posix, sep } from 'node:path';

/** A Markdown page of the repository on the site. */
export interface Page {
	/** Its path in the repository, such as `docs/n8n.md`. */
	readonly source: string;
	/** Its path on the site, such as `n8n.md`. The address has no `.md`. */
	readonly path: string;
	/** Its first heading. */
	readonly title: string;
	/** Its name in the menu, shorter than the title. */
	readonly label: string;
	/** Its Markdown, as in the repository. */
	readonly text: string;
	/** One sentence for `llms.txt`, or nothing. */
	readonly about?: string;
}

/** Pages that belong together in the menu and in `llms.txt`. */
export interface PageGroup {
	readonly title: string;
	/** An agent may leave it out, and `llms-full.txt` does. */
	readonly isOptional?: boolean;
	/** For people who change this project: the site's search leaves it out. */
	readonly isForContributors?: boolean;
	readonly pages: readonly Page[];
}

/** The place of a page in the menu. */
interface Entry {
	readonly source: string;
	readonly label?: string;
	readonly about?: string;
}

const groups: ReadonlyArray<Omit<PageGroup, 'pages'> & { entries: readonly Entry[] }> = [
	{
		title: 'Start',
		entries: [
			{ source: 'README.md', label: 'Overview', about: 'Try it, install it, send and receive the first messages' },
			{ source: 'examples/README.md', about: 'Workflows to import into n8n, with pictures and set-up steps' },
			{ source: 'docs/troubleshooting.md', about: 'Errors and surprises, each with its cause and the next step' },
			{ source: 'docs/glossary.md', about: 'The terms of the docs and of the fields' },
		],
	},
	{
		title: 'n8n',
		entries: [
			{ source: 'docs/n8n.md', label: 'The nodes', about: 'Every operation, field and output of the n8n nodes' },
			{ source: 'docs/wallet.md', label: 'Wallet and costs', about: 'Balance, top-ups, transactions and costs' },
			{ source: 'docs/sender-ids.md', about: 'Which sender IDs the service accepts, and how to get one' },
			{ source: 'docs/queue-mode.md', label: 'Queue mode', about: 'Sends from several n8n workers' },
			{ source: 'docs/compatibility.md', about: 'The versions of n8n that the nodes work with' },
		],
	},
	{
		title: 'Zapier',
		entries: [
			{ source: 'zapier/README.md', label: 'The Zapier app', about: 'Connection, triggers, actions and searches' },
			{ source: 'docs/zapier-recipes/README.md', label: 'Recipes', about: 'Zaps step by step' },
		],
	},
	{
		title: 'Sandbox and relay',
		entries: [
			{ source: 'sandbox/README.md', about: 'The service on your own machine: control routes, faults, clock' },
			{ source: 'docs/magic-values.md', about: 'Numbers and texts that make the sandbox fail in a chosen way' },
			{ source: 'relay/README.md', about: 'A server that sends each event to many workflows and Zaps' },
			{ source: 'docs/relay.md', about: 'Design of the relay, its guarantees and limits' },
			{ source: 'docs/docker.md', about: 'n8n, sandbox, relay and PostgreSQL in one Compose file' },
		],
	},
	{
		title: 'Developers',
		entries: [
			{ source: 'docs/api.md', label: 'API', about: 'Endpoints, errors and webhooks of the service' },
			{ source: 'docs/testing.md', about: 'The sandbox in your own tests, in any language' },
			{ source: 'docs/doctor.md', about: 'Checks how a real account responds, without spending' },
		],
	},
	{
		title: 'Contributors',
		isForContributors: true,
		entries: [
			{ source: 'CONTRIBUTING.md', about: 'Commands, house rules, and how to add an operation' },
			{ source: 'docs/architecture.md', about: 'Folders, import rules, and the way of a call and a webhook' },
			{ source: 'docs/assumptions.md', about: 'How the code reads what the API does not document' },
			{ source: 'docs/benchmarks.md', about: 'Measured speed and memory' },
			{ source: 'docs/publishing.md' },
			{ source: 'docs/zapier-publishing.md' },
		],
	},
	{ title: 'Changes', isOptional: true, isForContributors: true, entries: [{ source: 'CHANGELOG.md' }] },
];

/** The folders whose pages have a group of their own, in the order of their names. */
const folders = { recipes: 'docs/zapier-recipes', decisions: 'docs/decisions' };

/** Where the site has a page whose path in the repository would give the address of another page. */
const moved = new Map([
	['README.md', 'overview.md'],
	['docs/relay.md', 'relay-design.md'],
]);

/**
 * Finds the path of a file of the repository on the site: without `docs/`, in lower case, `README.md` as `index.md`.
 *
 * @param source its path in the repository
 */
export function sitePath(source: string): string {
	const path = moved.get(source) ?? source.replace(/^docs\//, '').replace(/README\.md$/, 'index.md');
	return path.endsWith('.md') ? path.toLowerCase() : path;
}

/**
 * Reads all pages. A page of `docs/` that no group names comes at the end of Developers, so a new page is never missing.
 *
 * @param root folder of the repository
 */
export function readPages(root: string): PageGroup[] {
	const read = ({ source, label, about }: Entry): Page => {
		const text = readFileSync(join(root, source), 'utf8');
		const title = /^# (.+)$/m.exec(text)?.[1] ?? source;
		return { source, path: sitePath(source), title, label: label ?? title, text, ...(about && { about }) };
	};
	const found = globSync('docs/**/*.md', { cwd: root }).map((path) => path.split(sep).join('/'));
	const inFolder = (folder: string) =>
		found.filter((path) => posix.dirname(path) === folder && !path.endsWith('/README.md')).sort();
	const named = new Set(groups.flatMap(({ entries }) => entries.map(({ source }) => source)));
	const others = found.filter((path) => !named.has(path) && !Object.values(folders).includes(posix.dirname(path)));
	const more: Readonly<Record<string, readonly string[]>> = {
		Zapier: inFolder(folders.recipes),
		Developers: others.sort(),
	};
	const decisions = inFolder(folders.decisions).map((source) => read({ source }));
	return [
		...groups.map(({ entries, ...group }) => ({
			...group,
			pages: [...entries, ...(more[group.title] ?? []).map((source) => ({ source }))].map(read),
		})),
		{
			title: 'Decisions',
			isOptional: true,
			isForContributors: true,
			pages: [decisionIndex(decisions), ...decisions],
		},
	];
}

/** GitHub shows the folder as a list. The site has a page in the place of its README. */
function decisionIndex(decisions: readonly Page[]): Page {
	const list = decisions.map(({ source, title }) => `- [${title}](${posix.basename(source)})`);
	const text = `# Decisions\n\nEach page has the reasons for one decision about the design.\n\n${list.join('\n')}\n`;
	return {
		source: `${folders.decisions}/README.md`,
		path: 'decisions/index.md',
		title: 'Decisions',
		label: 'All decisions',
		text,
	};
}
