import { z } from 'zod/v4';
import type { Endpoint } from '../../shared/contract/endpoint';

/**
 * Checks a response against the contract, so that the sandbox cannot drift from it.
 * @returns the output unchanged
 * @throws Error that names the endpoint and the field
 */
export function checkOutput(endpoint: Endpoint, output: unknown): unknown {
	const checked = endpoint.output.safeParse(output);
	if (!checked.success) {
		throw new Error(`the response of ${endpoint.id} breaks the contract: ${z.prettifyError(checked.error)}`);
	}
	return output;
}
