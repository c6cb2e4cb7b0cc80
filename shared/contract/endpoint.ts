import type { z } from 'zod/v4';
import type { ErrorCode } from './errors';
import type { Aliases, JsonObject } from './find';

/**
 * How safe a second try of a call is.
 * `safe`: reading, repeat at will. `once`: it may cost money or change something, and the interface has no
 * idempotency key, so it is never repeated once the service may have accepted it.
 */
export type Repeat = 'safe' | 'once';

/**
 * How the answer of an endpoint is found in a body whose envelope the interface does not show.
 * `record`: one object, its keys under `data` or at the top; `aliases` lists other places of a key, as dotted paths.
 * `list`: an array, bare or under some key.
 */
export type ResponseShape =
	| {
			readonly kind: 'record';
			readonly aliases?: Aliases;
			/** Keys that are not found but concluded from the whole body; undefined where it does not tell. */
			readonly derived?: Readonly<Record<string, (body: JsonObject) => unknown>>;
			/** Key whose `false` is a result: words about it, such as "not valid", are then no failure of the call. */
			readonly mayBeFalse?: string;
	  }
	| { readonly kind: 'list' };

/**
 * What a 2xx with `success: false` means. `refused`: the call failed and nothing was charged. `data`: it is the answer,
 * such as a wrong code. `unknown`: part of it may have gone out.
 */
export type SuccessFalse = 'refused' | 'data' | 'unknown';

/** One call of the service: what it takes, what it gives, and what may be done when it fails. */
export interface Endpoint<
	Id extends string = string,
	Input extends z.ZodObject = z.ZodObject,
	Output extends z.ZodType = z.ZodType,
> {
	/** Name in the contract table, `resource.operation`. */
	readonly id: Id;
	readonly method: 'GET' | 'POST';
	/** Path below the base URL; `{name}` takes that key of the input. */
	readonly path: `/${string}`;
	/** One sentence for documentation. */
	readonly summary: string;
	/** Flat object in the wire's own names: path keys, then the query (GET) or the JSON body (POST). */
	readonly input: Input;
	/** Loose: unknown keys and unknown enum values pass through. */
	readonly output: Output;
	readonly answer: ResponseShape;
	readonly successFalse: SuccessFalse;
	readonly repeat: Repeat;
	/** Whether an accepted call costs money. */
	readonly charges: boolean;
	/** Refusals to expect beside those that every endpoint has. */
	readonly errors: readonly ErrorCode[];
	/** Used for documentation, samples and tests; parses with both schemas. */
	readonly example: { readonly input: z.input<Input>; readonly output: z.input<Output> };
}

/** What a caller passes to an endpoint. */
export type InputOf<E extends Endpoint> = z.input<E['input']>;

/** What a caller gets from an endpoint. */
export type OutputOf<E extends Endpoint> = z.output<E['output']>;

/**
 * Declares an endpoint; exists so that the schemas' types are inferred.
 * @returns the definition unchanged
 */
export function endpoint<const Id extends string, Input extends z.ZodObject, Output extends z.ZodType>(
	definition: Endpoint<Id, Input, Output>,
): Endpoint<Id, Input, Output> {
	return definition;
}
