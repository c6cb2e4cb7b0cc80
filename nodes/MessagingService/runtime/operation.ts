import type { IExecuteFunctions, INodeExecutionData, INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import type { CallOptions, Client, Endpoint, InputError, InputOf, Outcome, ServiceError } from '../../../shared';

/** One operation of the action node: what the user sees of it, and how it is done. */
export type Operation = ItemOperation | RunOperation;

interface Shown {
	/** Entry in the Operation list. */
	readonly option: INodePropertyOptions & { readonly value: string };
	/** Fields shown for this operation; each carries its own `displayOptions`. */
	readonly fields: readonly INodeProperties[];
	/** Display names by wire name, so that an error names the field that the user sees. */
	readonly labels: Readonly<Record<string, string>>;
}

/** An operation that is done for each input item by itself. */
export interface ItemOperation extends Shown {
	/** Reads the fields of one item into what is to be done, or says what is wrong with them. */
	readonly prepare: (context: IExecuteFunctions, itemIndex: number, session: Session) => Work | InputError;
	/** Makes another outcome of a call's, for example an answer of a refusal that is one, such as a wrong code. */
	readonly finish?: (
		outcome: Outcome<unknown>,
		callOf: Call,
		context: IExecuteFunctions,
		itemIndex: number,
	) => Outcome<unknown>;
}

/** An operation that takes all input items at once, because they belong together or the run has to wait. */
export interface RunOperation extends Shown {
	/** @throws NodeApiError, NodeOperationError for a failure, where On Error is set to stop */
	readonly run: (run: Run) => Promise<INodeExecutionData[][]>;
}

/** One run of the node. */
export interface Run {
	readonly context: IExecuteFunctions;
	/** Makes the calls; or why none can be made in this try. What an earlier try sent stays sent all the same. */
	readonly client: Client | ServiceError;
	readonly session: Session;
	/** Calls under way at the same time. */
	readonly parallel: number;
	/** Whether the first failure ends the run, as On Error is set. */
	readonly stops: boolean;
	/**
	 * Names the run within its execution: the same for each try of Retry On Fail, another for each turn of a loop. Holds the
	 * node's name, which n8n keeps unique; IDs come twice, or not at all, in workflows that were generated or merged.
	 */
	readonly name: string;
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
	/** What is sent only if it was never sent under the same key before. */
	readonly sendOnceKey?: string;
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
