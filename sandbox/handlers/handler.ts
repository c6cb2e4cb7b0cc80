import type { z } from 'zod/v4';
import type { Contract } from '../../shared/contract';
import type { Endpoint } from '../../shared/contract/endpoint';
import { checkOutput } from '../http/checkOutput';
import { parseInput } from '../http/parse';
import type { Services } from '../services';

/** What an endpoint does: takes input that the contract has parsed, gives what the contract promises, or refuses. */
export type Perform<Input extends z.ZodObject, Output extends z.ZodType> = (
	input: z.output<Input>,
	services: Services,
) => z.output<Output> | Promise<z.output<Output>>;

/** Checks raw input against an endpoint's schema. @throws Refusal 422 `validation` */
export type Parse<Input extends z.ZodObject> = (
	schema: Input,
	raw: unknown,
	services: Services,
) => z.output<Input> | Promise<z.output<Input>>;

/** An endpoint with what it does, behind the contract's checks. */
export interface Handler<Id extends string = string> {
	readonly endpoint: Endpoint<Id>;
	/**
	 * Parses the input by the contract, does the work and checks the output against the contract.
	 * @param raw the path's, the query's and the body's keys together
	 * @throws Refusal where the input is wrong or the endpoint refuses; Error where the output breaks the contract
	 */
	readonly handle: (raw: unknown, services: Services) => Promise<unknown>;
}

/** A handler for every endpoint of the contract; a missing one, or one of another endpoint, does not compile. */
export type Handlers = {
	readonly [Resource in keyof Contract]: {
		readonly [Operation in keyof Contract[Resource]]: Contract[Resource][Operation] extends Endpoint<infer Id>
			? Handler<Id>
			: never;
	};
};

/**
 * Puts what an endpoint does behind the contract's checks.
 * @param parse does what {@link parseInput} does, where an endpoint's input is too long for that
 */
export function handle<Id extends string, Input extends z.ZodObject, Output extends z.ZodType>(
	endpoint: Endpoint<Id, Input, Output>,
	perform: Perform<Input, Output>,
	parse: Parse<Input> = parseInput,
): Handler<Id> {
	return {
		endpoint,
		handle: async (raw, services) => {
			const input = await parse(endpoint.input, raw, services);
			return checkOutput(endpoint, await perform(input, services));
		},
	};
}
