import { z } from 'zod/v4';
import type { Endpoint } from '../../shared/contract/endpoint';

/**
 * Checks that an answer keeps the contract, so that the sandbox cannot drift from what its users rely on.
 * @returns the answer unchanged
 * @throws Error that names the endpoint and what is wrong
 */
export function checkOutput(endpoint: Endpoint, output: unknown): unknown {
	const checked = endpoint.output.safeParse(output);
	if (!checked.success) {
		throw new Error(`the answer of ${endpoint.id} breaks the contract: ${z.prettifyError(checked.error)}`);
	}
	return output;
}
