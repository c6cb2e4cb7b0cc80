import { z } from 'zod/v4';
import type { Contract } from '../../shared/contract';
import type { Endpoint } from '../../shared/contract/endpoint';
import { HttpError } from '../http/httpError';
import { parseInput } from '../http/parse';
import type { Services } from '../services';
import { setUpSetting, type SetUpSetting } from '../store/settings';
import type { Store } from '../store/store';

/**
 * The work of an endpoint: from input parsed by the contract to the output that the contract declares. @throws
 * HttpError
 */
export type Perform<Input extends z.ZodObject, Output extends z.ZodType> = (
	input: z.output<Input>,
	services: Services,
) => z.output<Output> | Promise<z.output<Output>>;

/** Checks raw input against an endpoint's schema. @throws HttpError 422 `validation` */
export type Parse<Input extends z.ZodObject> = (
	schema: Input,
	raw: unknown,
	services: Services,
) => z.output<Input> | Promise<z.output<Input>>;

/** An endpoint and the function that handles it. */
export interface Handler<Id extends string = string> {
	readonly endpoint: Endpoint<Id>;
	/**
	 * Parses the input by the contract, requires the set-up, does the work and checks the output against the contract.
	 * @param raw keys of the path, the query and the body together
	 * @throws HttpError if the input is invalid or the endpoint rejects it; Error if the output breaks the contract
	 */
	readonly handle: (raw: unknown, services: Services) => Promise<unknown>;
}

/** A handler for every endpoint of the contract. A missing or misplaced one does not compile. */
export type Handlers = {
	readonly [Resource in keyof Contract]: {
		readonly [Operation in keyof Contract[Resource]]: Contract[Resource][Operation] extends Endpoint<infer Id>
			? Handler<Id>
			: never;
	};
};

/**
 * Requires that the account has a feature.
 * @param name begins the error
 * @throws HttpError 422 `channel_not_set_up` (docs/api.md#channels)
 */
export function requireSetUp({ settings }: Store, setting: SetUpSetting, name: string): void {
	if (settings.read()[setting]) return;
	const message = `${name} is not set up on your account. Nothing was sent or charged.`;
	throw new HttpError(422, 'channel_not_set_up', message);
}

/**
 * Wraps the work of an endpoint in the contract's checks.
 * @param parse replaces {@link parseInput} if the input is too long for it
 */
export function handle<Id extends string, Input extends z.ZodObject, Output extends z.ZodType>(
	endpoint: Endpoint<Id, Input, Output>,
	perform: Perform<Input, Output>,
	parse: Parse<Input> = parseInput,
): Handler<Id> {
	const { setUp } = endpoint;
	return {
		endpoint,
		handle: async (raw, services) => {
			const input = await parse(endpoint.input, raw, services);
			if (setUp) requireSetUp(services.store, setUpSetting(endpoint), setUp.name);
			return checkOutput(endpoint, await perform(input, services));
		},
	};
}

/**
 * Checks a response against the contract, so that the sandbox cannot drift from it.
 * @returns the output unchanged
 * @throws Error that names the endpoint and the field
 */
function checkOutput(endpoint: Endpoint, output: unknown): unknown {
	const checked = endpoint.output.safeParse(output);
	if (!checked.success) {
		throw new Error(`the response of ${endpoint.id} breaks the contract: ${z.prettifyError(checked.error)}`);
	}
	return output;
}
