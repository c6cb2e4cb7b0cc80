import { join } from 'node:path';
import { z } from 'zod/v4';
import { startRequestProcess } from '../requestProcess';
import type { Account, MethodName } from './zapierTestApp';

const program = join(__dirname, 'zapChild.ts');

/** A step of a Zap. */
export const zapRequest = z.object({
	account: z.custom<Account>((value) => typeof value === 'object'),
	method: z.custom<MethodName>((value) => typeof value === 'string'),
	inputs: z.record(z.string(), z.unknown()),
});

/** See {@link zapRequest}. */
export type ZapRequest = z.output<typeof zapRequest>;

const zapEnding = z.object({
	results: z.unknown().optional(),
	failure: z.object({ name: z.string(), message: z.string() }).optional(),
	/** When the step began and ended, in milliseconds since 1970. */
	began: z.number(),
	ended: z.number(),
	pid: z.number(),
});

/** How a step ended in its process. */
export type ZapEnding = z.output<typeof zapEnding>;

/** The app in Zapier's own handler, in a process of its own. It shares nothing with other processes. */
export interface ZapProcess {
	readonly run: (request: ZapRequest) => Promise<ZapEnding>;
	readonly kill: () => Promise<void>;
}

/** Starts the process, and waits until the app is loaded. */
export async function startZapProcess(): Promise<ZapProcess> {
	const { ask, kill } = await startRequestProcess(program);
	return { run: async (request) => zapEnding.parse(await ask(request)), kill };
}
