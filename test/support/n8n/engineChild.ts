import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { respondToRequests } from '../requestProcess';
import { startEngine, type Engine, type NodeResult } from './engine';
import type { EngineRequest } from './engineProcess';

/** The process of {@link startEngineProcess}. */
async function main(): Promise<void> {
	const engine = await startEngine(
		JSON.parse(process.argv[2] ?? '{}') as Record<string, ICredentialDataDecryptedObject>,
	);
	// engineProcess.ts sends this type.
	respondToRequests(async (request) => await respond(engine, request as EngineRequest));
}

async function respond(engine: Engine, request: EngineRequest): Promise<unknown> {
	switch (request.kind) {
		case 'run': {
			// The rest may hold values that cannot be sent.
			const { kept, ...result }: NodeResult = await engine.run(request.run);
			return { ...result, kept: typeof kept };
		}
		case 'tool':
			return await engine.callTool(
				request.calls,
				undefined,
				'one by one',
				undefined,
				undefined,
				undefined,
				request.executionId,
			);
		case 'mcp':
			return request.inQueueMode ? await engine.callMcpInQueueMode(request.calls) : await engine.callMcp(request.calls);
	}
}

void main();
