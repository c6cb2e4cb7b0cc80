import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod/v4';

const read = (name: string) => readFileSync(join(__dirname, '..', '..', '..', 'docker', name), 'utf8');

/** The texts of our Dockerfiles. */
export const dockerfiles = { sandbox: read('sandbox.Dockerfile'), relay: read('relay.Dockerfile') };

/** The parts of a service in a Compose file that ours uses. Any other key fails. */
export const service = z.strictObject({
	image: z.string(),
	build: z.strictObject({ dockerfile_inline: z.string() }).optional(),
	command: z.array(z.string()).optional(),
	environment: z.record(z.string(), z.string()).default({}),
	configs: z.array(z.strictObject({ source: z.string(), target: z.string() })).default([]),
	volumes: z.array(z.string()).default([]),
	ports: z.array(z.string()).default([]),
	network_mode: z.literal('service:sandbox').optional(),
	init: z.boolean().optional(),
	restart: z.literal('unless-stopped').optional(),
	healthcheck: z
		.strictObject({
			test: z.tuple([z.literal('CMD')], z.string()),
			interval: z.string(),
			timeout: z.string(),
			start_period: z.string(),
		})
		.optional(),
	depends_on: z
		.record(
			z.string(),
			z.strictObject({
				condition: z.enum(['service_healthy', 'service_completed_successfully']),
				restart: z.boolean().optional(),
			}),
		)
		.default({}),
});
const composeFile = z.strictObject({
	name: z.string(),
	services: z.strictObject({
		sandbox: service,
		relay: service,
		'install-node': service,
		n8n: service,
		postgres: service,
	}),
	configs: z.record(z.string(), z.strictObject({ content: z.string() })),
	volumes: z.record(z.string(), z.null()),
});
/** Parts of our Compose file, as Compose reads it without variables of the user. */
export const { services, configs, volumes } = composeFile.parse(
	parse(read('compose.yaml').replace(/\$\{\w+:-([^}]*)\}/g, '$1')),
);
/** The JSON list after an instruction, such as ENTRYPOINT. */
export const listOf = (dockerfile: string, instruction: string): string[] =>
	z
		.array(z.string())
		.parse(JSON.parse(new RegExp(`^${instruction} .*?(\\[.*\\])$`, 'm').exec(dockerfile)?.[1] ?? '[]'));
