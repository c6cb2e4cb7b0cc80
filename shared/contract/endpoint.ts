import type { z } from 'zod/v4';
import type { ErrorCode } from './errors';
import type { Aliases } from './find';

/**
 * Whether a call may be repeated. `safe`: it only reads. `once`: it may cost money or change something, and the API has
 * no idempotency key, so it is never repeated after the service may have accepted it.
 * @example const repeat: Repeat = contract.sms.send.repeat; // 'once'
 */
export type Repeat = 'safe' | 'once';

/**
 * How the result of an endpoint is found in a body whose envelope is undocumented.
 * `record`: one object, with its keys under `data` or at the top; `aliases` lists other places of a key, as dotted paths.
 * `batch`: a record whose lists, maps and counts are about single recipients.
 * `list`: an array, bare or under some key. `code`: the verdict about a code, from the whole body.
 */
export type ResponseShape =
	| {
			readonly kind: 'record' | 'batch' | 'code';
			readonly aliases?: Aliases;
	  }
	| { readonly kind: 'list' };

/**
 * One endpoint of the service (docs/api.md): its input, its output, and how failures are handled.
 * @example const endpoint: Endpoint = contract.sms.send;
 */
export interface Endpoint<
	Id extends string = string,
	Input extends z.ZodObject = z.ZodObject,
	Output extends z.ZodType = z.ZodType,
> {
	/** Name in the contract table, `resource.operation`. */
	readonly id: Id;
	readonly method: 'GET' | 'POST';
	/** Path below the base URL. `{name}` is replaced with that key of the input. */
	readonly path: `/${string}`;
	/** One sentence for documentation. */
	readonly summary: string;
	/** Flat object with the API's own names: path keys, then the query (GET) or the JSON body (POST). */
	readonly input: Input;
	/** Loose: unknown keys and unknown enum values pass through. */
	readonly output: Output;
	readonly response: ResponseShape;
	readonly repeat: Repeat;
	/**
	 * The unit that an accepted call is charged by, such as `segment`; false if it is free. The price of a unit is the
	 * account's (docs/api.md#billing).
	 */
	readonly charges: string | false;
	/** Rejections to expect, beside those that every endpoint has. */
	readonly errors: readonly ErrorCode[];
	/** A feature that the account needs (docs/api.md#channels). Without it, the service responds `channel_not_set_up`. */
	readonly setUp?: {
		/** Begins the sentence "... is not set up on your account." */
		readonly name: string;
		/** The next step for a user who does not have it. */
		readonly hint: string;
	};
	/** Next steps, if the usual ones of `client/hint.ts` do not fit. */
	readonly hints?: {
		/** Begins the message of an unknown outcome. By default "It is unknown whether this was sent". */
		readonly doubt?: string;
		/** After a call that may have been accepted. */
		readonly unknown?: string;
		/** After an accepted call whose response cannot be read. */
		readonly accepted?: string;
	};
	/** For documentation, samples and tests. Valid for both schemas. */
	readonly example: { readonly input: z.input<Input>; readonly output: z.input<Output> };
}

/**
 * The input of an endpoint.
 * @example type SendInput = InputOf<typeof contract.sms.send>;
 */
export type InputOf<E extends Endpoint> = z.input<E['input']>;

/**
 * The output of an endpoint.
 * @example type Sent = OutputOf<typeof contract.sms.send>;
 */
export type OutputOf<E extends Endpoint> = z.output<E['output']>;

/**
 * Declares an endpoint. Lets the compiler infer the types of its schemas.
 * @returns the definition unchanged
 */
export function endpoint<const Id extends string, Input extends z.ZodObject, Output extends z.ZodType>(
	definition: Endpoint<Id, Input, Output>,
): Endpoint<Id, Input, Output> {
	return definition;
}
