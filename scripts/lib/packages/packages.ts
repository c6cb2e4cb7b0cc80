import { z } from 'zod/v4';
import project from '../../../package.json';
import relay from '../../../relay/package.json';

/** The fields that all packages have in common: those of the n8n package, because all are released together. */
const common = z
	.object({
		version: z.string(),
		license: z.string(),
		author: z.unknown(),
		repository: z.object({ type: z.string(), url: z.string() }).optional(),
		bugs: z.unknown().optional(),
	})
	.parse(project);

/** The address of the repository in a browser; undefined while it has none. */
export const repositoryUrl = common.repository?.url.replace(/^git\+/, '').replace(/\.git$/, '');

/** A program of this repository that is published as an npm package of its own. */
export interface ProgramPackage {
	/** Name on npm. */
	readonly name: string;
	readonly description: string;
	readonly keywords: readonly string[];
	/** The folder with its README, migrations and pages. */
	readonly folder: 'sandbox' | 'relay';
	/** The source file of each command. */
	readonly commands: Readonly<Record<string, string>>;
	/** The oldest Node.js that runs it, such as `22.19`. */
	readonly node: string;
	/** Packages that npm installs with it, by exact version. All others are in the bundle. */
	readonly dependencies: Readonly<Record<string, string>>;
}

/** All packages that `npm run build:packages` builds. */
export const programPackages: readonly ProgramPackage[] = [
	{
		name: 'messaging-service-sandbox',
		description: 'Messaging Service on your own machine: API, wallet, webhooks, simulated phones, clock and faults',
		keywords: ['sms', 'messaging', 'sandbox', 'mock', 'testing'],
		folder: 'sandbox',
		commands: { 'messaging-service-sandbox': 'sandbox/main.ts', 'messaging-service-doctor': 'doctor/bin.ts' },
		// The first one that undici supports.
		node: '22.19',
		dependencies: {},
	},
	{
		name: relay.name,
		description: relay.description,
		keywords: ['sms', 'messaging', 'webhooks', 'relay', 'n8n', 'zapier'],
		folder: 'relay',
		commands: { 'messaging-service-relay': 'relay/main.ts' },
		node: relay.engines.node.replace('>=', ''),
		dependencies: relay.dependencies,
	},
];

/** Writes the `package.json` of a published package. */
export function manifestOf({ name, description, keywords, commands, node, dependencies }: ProgramPackage): object {
	const { version, ...others } = common;
	return {
		name,
		version,
		description,
		...others,
		keywords,
		type: 'commonjs',
		bin: Object.fromEntries(Object.keys(commands).map((command) => [command, `bin/${command}.js`])),
		engines: { node: `>=${node}` },
		dependencies,
	};
}
