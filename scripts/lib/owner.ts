import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod/v4';

/** Host names as in a URL, without scheme and path. */
const HOST = /^[a-z\d](?:[a-z\d.-]*[a-z\d])?(?::\d+)?$/;

const ownerSchema = z.strictObject({
	/** Author of the packages. */
	name: z.string().min(1),
	email: z.email(),
	/** Address of the public Git repository, without `.git`. */
	repository: z.url({ protocol: /^https$/ }).regex(/^https:\/\/[^/]+\/[\w.-]+\/[\w.-]+(?<!\.git)$/, {
		error: 'must look like https://github.com/owner/name',
	}),
	/** Home page of the service. */
	website: z.url({ protocol: /^https$/ }).regex(/[^/]$/, { error: 'must not end in a slash' }),
	/** Receives reports of vulnerabilities. */
	securityEmail: z.email(),
	/** Receives reports about behavior in the community. */
	conductEmail: z.email(),
	/** The only host that the public Zapier app may call; empty allows every host with https. */
	zapierApiHost: z.union([z.literal(''), z.string().regex(HOST, { error: 'must be a host, such as api.example.com' })]),
	/** Page of the dashboard where users create API keys, for the public Zapier app; may be empty. */
	zapierKeysPage: z.union([z.literal(''), z.url({ protocol: /^https$/ })]),
});

/** The names and addresses of the owner, which are the same in all published files. */
export type Owner = z.output<typeof ownerSchema>;

/**
 * Reads `owner.json`.
 *
 * @param root the repository
 * @throws Error that names the wrong field
 */
export function readOwner(root: string): Owner {
	const parsed = ownerSchema.safeParse(JSON.parse(readFileSync(join(root, 'owner.json'), 'utf8')));
	if (parsed.success) return parsed.data;
	const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'the file'}: ${message}`);
	throw new Error(`owner.json is not valid. ${problems.join('. ')}`);
}

/**
 * Finds the fields that still have an example domain, which belongs to no one (RFC 2606).
 *
 * @returns their names, such as `email`
 */
export function exampleFields(owner: Owner): string[] {
	return Object.entries(owner).flatMap(([field, value]) => (/\.example(?![\w-])/.test(value) ? [field] : []));
}

/** The organization or user, and the name, of the repository. */
export function repositoryName({ repository }: Owner): { readonly organization: string; readonly name: string } {
	const [organization = '', name = ''] = new URL(repository).pathname.slice(1).split('/');
	return { organization, name };
}

/** A file that has names of the owner. */
export interface OwnedFile {
	/** Path from the root of the repository. */
	readonly path: string;
	/** Writes the owner's names into the text of the file. */
	readonly write: (text: string, owner: Owner) => string;
}

/** Every file that `npm run generate` writes the owner's names into. */
export const ownedFiles: readonly OwnedFile[] = [
	{ path: 'package.json', write: (text, owner) => writeManifest(text, owner) },
	{
		path: 'zapier/package.json',
		// Zapier shows the home page of the service.
		write: (text, owner) => writeManifest(text, owner, { directory: 'zapier', homepage: owner.website }),
	},
	{ path: 'README.md', write: writePage },
	{ path: 'site/index.md', write: writePage },
	{ path: 'SECURITY.md', write: writePage },
	{ path: 'CODE_OF_CONDUCT.md', write: writePage },
	{ path: 'docs/publishing.md', write: writePage },
	{ path: 'docs/zapier-publishing.md', write: writePage },
	{ path: '.github/ISSUE_TEMPLATE/config.yml', write: (_, owner) => issueConfig(owner) },
];

const manifestSchema = z.record(z.string(), z.unknown());

interface ManifestPlace {
	/** Folder of the package in the repository; undefined for its root. */
	readonly directory?: string;
	/** Default: the README of the repository. */
	readonly homepage?: string;
}

function writeManifest(text: string, { name, email, repository }: Owner, place: ManifestPlace = {}): string {
	const { directory, homepage = `${repository}#readme` } = place;
	const owned = {
		homepage,
		bugs: { url: `${repository}/issues` },
		repository: { type: 'git', url: `git+${repository}.git`, ...(directory !== undefined && { directory }) },
		author: { name, email },
	};
	// A key that is there already keeps its place.
	return `${JSON.stringify({ ...manifestSchema.parse(JSON.parse(text)), ...owned }, null, '\t')}\n`;
}

/** The texts that a page can have between `<!-- owner: NAME -->` and `<!-- end of owner -->`. */
const texts: Readonly<Record<string, (owner: Owner) => string>> = {
	'security email': ({ securityEmail }) => `[${securityEmail}](mailto:${securityEmail})`,
	'conduct email': ({ conductEmail }) => `[${conductEmail}](mailto:${conductEmail})`,
	advisory: ({ repository }) => `[private report](${repository}/security/advisories/new)`,
	organization: (owner) => `\`${repositoryName(owner).organization}\``,
	'repository link': ({ repository }) => `[the repository](${repository})`,
	repository: (owner) => `\`${repositoryName(owner).name}\``,
	website: ({ website }) => `\`${website}\``,
	'zapier api host': ({ zapierApiHost }) => (zapierApiHost === '' ? 'any host' : `\`${zapierApiHost}\``),
};

function writePage(page: string, owner: Owner): string {
	// A block of code has no comments.
	const cloned = page.replace(/^git clone \S+/gm, `git clone ${owner.repository}.git`);
	return cloned.replace(/(<!-- owner: ([\w ]+) -->).*?(<!-- end of owner -->)/gs, (_, start, name, end) => {
		const text = texts[String(name)];
		if (text === undefined) throw new Error(`A page has an unknown text of the owner: ${String(name)}`);
		return `${String(start)}${text(owner)}${String(end)}`;
	});
}

function issueConfig({ repository }: Owner): string {
	return `# Written by npm run generate from owner.json.
blank_issues_enabled: false
contact_links:
  - name: Report a vulnerability in private
    url: ${repository}/security/advisories/new
    about: Anything that leaks a key, a message or a phone number, or that lets someone else send or spend.
  - name: Read the troubleshooting page
    url: ${repository}/blob/main/docs/troubleshooting.md
    about: Errors by their text, with the next step for each.
`;
}
