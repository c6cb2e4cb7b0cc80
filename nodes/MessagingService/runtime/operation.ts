import type { IExecuteFunctions, INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import type { Endpoint, InputOf } from '../../../shared';

/** One operation of the action node: what the user sees of it, and how its input is made. */
export interface Operation {
	/** Entry in the Operation list. */
	readonly option: INodePropertyOptions & { readonly value: string };
	/** Fields shown for this operation; each carries its own `displayOptions`. */
	readonly fields: readonly INodeProperties[];
	/** Display names by wire name, so that an error names the field that the user sees. */
	readonly labels: Readonly<Record<string, string>>;
	/** Reads the fields of one item into the endpoint's input, and says which endpoint that is. */
	readonly prepare: (context: IExecuteFunctions, itemIndex: number) => PreparedCall;
}

/** An endpoint with its input, type-checked where it was made. */
export interface PreparedCall {
	readonly endpoint: Endpoint;
	readonly input: Readonly<Record<string, unknown>>;
}

/** Puts an endpoint and its input together; the compiler checks that they fit. */
export function prepared<E extends Endpoint>(endpoint: E, input: InputOf<E>): PreparedCall {
	return { endpoint, input };
}

/** All operations, by resource and operation value. */
export type OperationTable = Readonly<Record<string, Readonly<Record<string, Operation>>>>;
