import type { IExecuteFunctions, INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import type { CallOptions, Client, Endpoint, InputError, InputOf, Outcome } from '../../../shared';

/** One operation of the action node: what the user sees of it, and how it is done. */
export interface Operation {
	/** Entry in the Operation list. */
	readonly option: INodePropertyOptions & { readonly value: string };
	/** Fields shown for this operation; each carries its own `displayOptions`. */
	readonly fields: readonly INodeProperties[];
	/** Display names by wire name, so that an error names the field that the user sees. */
	readonly labels: Readonly<Record<string, string>>;
	/** Reads the fields of one item into what is to be done, or says what is wrong with them. */
	readonly prepare: (context: IExecuteFunctions, itemIndex: number, session: Session) => Work | InputError;
	/** Makes another outcome of a call's, for example an answer of a refusal that is one, such as a wrong code. */
	readonly finish?: (outcome: Outcome<unknown>) => Outcome<unknown>;
}

/** What the items of one run have in common. */
export interface Session {
	/** Whether the key is one of the sandbox, whose numbers exist nowhere else. */
	readonly sandbox: boolean;
}

/** What is to be done for one item. */
export type Work = Call | Task;

/** One call of the service. */
export interface Call {
	readonly kind: 'call';
	readonly endpoint: Endpoint;
	readonly input: Readonly<Record<string, unknown>>;
}

/** Something that costs nothing and may be done again: several calls that read, or none. */
export interface Task {
	readonly kind: 'task';
	/** Gives the rows. */
	readonly run: (client: Client, options: CallOptions) => Promise<Outcome<unknown>>;
}

/** Puts an endpoint and its input together; the compiler checks that they fit. */
export function call<E extends Endpoint>(endpoint: E, input: InputOf<E>): Call {
	return { kind: 'call', endpoint, input };
}

/** All operations, by resource and operation value. */
export type OperationTable = Readonly<Record<string, Readonly<Record<string, Operation>>>>;
