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
) => z.output<Output>;

/** An endpoint with what it does, behind the contract's checks. */
export interface Handler<Id extends string = string> {
	readonly endpoint: Endpoint<Id>;
	/**
	 * Parses the input by the contract, does the work and checks the output against the contract.
	 * @param raw the path's, the query's and the body's keys together
	 * @throws Refusal where the input is wrong or the endpoint refuses; Error where the output breaks the contract
	 */
	readonly answer: (raw: unknown, services: Services) => unknown;
}

/** A handler for every endpoint of the contract; a missing one, or one of another endpoint, does not compile. */
export type Handlers = {
	readonly [Resource in keyof Contract]: {
		readonly [Operation in keyof Contract[Resource]]: Contract[Resource][Operation] extends Endpoint<infer Id>
			? Handler<Id>
			: never;
	};
};

/** Puts what an endpoint does behind the contract's checks. */
export function handle<Id extends string, Input extends z.ZodObject, Output extends z.ZodType>(
	endpoint: Endpoint<Id, Input, Output>,
	perform: Perform<Input, Output>,
): Handler<Id> {
	return {
		endpoint,
		answer: (raw, services) => checkOutput(endpoint, perform(parseInput(endpoint.input, raw), services)),
	};
}
