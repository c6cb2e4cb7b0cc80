import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod/v4';
import { eventually } from '../eventually';
import { readDemoMemory } from '../e2e/demo';

const setup = z.object({
	mainUrl: z.string(),
	/** Absent while the main process is away. */
	main: z.object({ group: z.int() }).optional(),
	webhookUrl: z.string(),
	sandboxUrl: z.string(),
	workers: z.array(z.object({ name: z.string(), group: z.int(), logFile: z.string() })),
	workerLogs: z.array(z.string()),
});

/** A worker that is ready. `group` is its process group. */
export type Worker = z.output<typeof setup>['workers'][number];

function folder(): string {
	const found = process.env.QUEUE_SETUP;
	if (!found) throw new Error('QUEUE_SETUP is not set: run this with npm run test:queue');
	return found;
}

/** The current state of the n8n that `npm run test:queue` runs. */
export function readSetup(): z.output<typeof setup> {
	return setup.parse(JSON.parse(readFileSync(join(folder(), 'setup.json'), 'utf8')));
}

/** Keys, credentials and the login of that n8n. */
export function readAccount() {
	const login = z.object({ email: z.string(), password: z.string() });
	const state: unknown = JSON.parse(readFileSync(join(folder(), 'demo.json'), 'utf8'));
	return { ...readDemoMemory(folder()), ...login.parse(state) };
}

/** IDs of the executions that a worker has started, oldest first. */
export function executionsStartedBy({ logFile }: Pick<Worker, 'logFile'>): string[] {
	return [...readFileSync(logFile, 'utf8').matchAll(/Worker started execution (\d+) /g)].map(([, id = '']) => id);
}

/**
 * IDs of the executions that any worker has started, including stopped workers. An execution started twice
 * appears twice.
 */
export function executionsStartedByAny(): string[] {
	return readSetup().workerLogs.flatMap((logFile) => executionsStartedBy({ logFile }));
}

/** Waits until a worker has started an execution. */
export async function workerOf(executionId: string): Promise<Worker> {
	return await eventually(`a worker to begin execution ${executionId}`, () =>
		readSetup().workers.find((worker) => executionsStartedBy(worker).includes(executionId)),
	);
}

/** Kills a worker and all its children, as a power cut would. */
export function killWorker({ group }: Worker): void {
	process.kill(-group, 'SIGKILL');
}

/**
 * Ends the main process in an orderly way. It starts again by itself.
 * @returns after it has ended; the function waits until it is ready again
 */
export async function restartMain(): Promise<() => Promise<void>> {
	const { main: former } = readSetup();
	if (former === undefined) throw new Error('The main process is away');
	process.kill(former.group, 'SIGTERM');
	await eventually('the main process to end', () => (readSetup().main ? undefined : true), 60_000);
	return async () => {
		await eventually('the main process to be ready', () => readSetup().main, 290_000);
	};
}

/** Waits until both workers are ready. */
export async function bothWorkers(): Promise<Worker[]> {
	return await eventually(
		'both workers',
		() => {
			const { workers } = readSetup();
			return workers.length === 2 ? workers : undefined;
		},
		120_000,
	);
}
