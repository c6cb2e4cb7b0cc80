import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';
import type {
	CallOptions,
	Client,
	Endpoint,
	InputError,
	InputOf,
	Outcome,
	ServiceError,
	Labels,
	SendOnceScope,
	WalletBalance,
} from '../../../shared';

/** One operation of the action node: its fields, and how to run it. */
export type Operation = ItemOperation | RunOperation;

interface Shown {
	/** The entry in the Operation list. */
	readonly option: INodePropertyOptions & { readonly value: string };
	/** The fields of this operation. Each has its own `displayOptions`. */
	readonly fields: readonly INodeProperties[];
}

/** An operation that handles each input item separately. */
export interface ItemOperation extends Shown {
	/** Converts the fields of one item to a call or task, skips it, or returns an error that names the field. */
	readonly prepare: (context: IExecuteFunctions, itemIndex: number, session: Session) => Work | Skip | InputError;
	/** Changes the outcome of a call. For example, a rejection that means "wrong code" becomes a result. */
	readonly finish?: (
		outcome: Outcome<unknown>,
		call: Call,
		context: IExecuteFunctions,
		itemIndex: number,
	) => Outcome<unknown>;
	/** Whether its result says yes or no, such as `valid`. Its rows then have no `outcome: accepted` beside it. */
	readonly hasVerdict?: true;
}

/** An operation that handles all input items together. */
export interface RunOperation extends Shown {
	/** @throws NodeApiError, NodeOperationError for a failure, if On Error is set to stop */
	readonly run: (run: Run) => Promise<INodeExecutionData[][]>;
}

/** One run of the node. */
export interface Run {
	readonly context: IExecuteFunctions;
	/** The client, or the reason why this try can make no calls. Outcomes of earlier tries stay valid even then. */
	readonly client: Client | ServiceError;
	readonly session: Session;
	/** Set if the base URL is that of a relay: where a Send Once Key is unique. */
	readonly relay?: { readonly scope: SendOnceScope };
	/** Set if the run only predicts. It sends nothing, claims no key and counts for no limit. */
	readonly dryRun?: DryRun;
	/** Display names of the operation's fields, for errors. */
	readonly labels: Labels;
	/** Whether an agent or an MCP client calls the node as a tool. */
	readonly byAgent: boolean;
	/**
	 * The execution whose messages belong together. Undefined without one, and for a call of an MCP client: in queue mode,
	 * n8n gives each of its calls an execution of its own, also a repeat.
	 */
	readonly executionId: string | undefined;
	/** Maximum number of calls in flight. */
	readonly parallel: number;
	/** Maximum number of calls per second; undefined without a limit. */
	readonly perSecond: number | undefined;
	/** Whether the first failure ends the run (On Error is set to stop). */
	readonly stops: boolean;
	/**
	 * Names the run within its execution: the same for each try of Retry On Fail, another for each round of a loop. It
	 * contains the node's name, which n8n keeps unique. Node IDs can be duplicate or missing in generated or merged
	 * workflows.
	 */
	readonly name: string;
}

/** The state of a run that only predicts. */
export interface DryRun {
	/** What the guards of this run counted, instead of the totals of the execution; undefined before the first count. */
	counted: { readonly recipients: number; readonly cost: number } | undefined;
	/** Reads the balance, at most once in the run. */
	readonly balance: () => Promise<Outcome<WalletBalance>>;
	/** Reads the names of the approved sender IDs, at most once in the run. Undefined if they cannot be read. */
	readonly senders: () => Promise<readonly string[] | undefined>;
}

/** Facts that all items of a run share. */
export interface Session {
	/** Whether the key is a sandbox key. The sandbox's numbers exist nowhere else. */
	readonly sandbox: boolean;
	/** When this try of the run began, in milliseconds since 1970. All items have the same present. */
	readonly now: number;
	/** Least time from then to a time to which Sending Hours move a message. The last request leaves before it has passed. */
	readonly leastAheadMs: number;
}

/** The work of one item. */
export type Work = Call | Task;

/** One call of the service. */
export interface Call {
	readonly kind: 'call';
	readonly endpoint: Endpoint;
	readonly input: Readonly<Record<string, unknown>>;
	/** Idempotency key: the call is skipped if the same message was sent under it before. */
	readonly sendOnceKey?: string;
	/** The call as the user gave it, if something else changed it: its Send Once Key belongs to this content. */
	readonly given?: Pick<Call, 'endpoint' | 'input'>;
	/** Fields of its row if it is accepted, beside those of the service. */
	readonly about?: Readonly<IDataObject>;
}

/** An item that is skipped on purpose, before a key is claimed or a limit is counted. */
export interface Skip {
	readonly kind: 'skip';
	/** Its row gives the reason. */
	readonly row: IDataObject;
}

/** Work that is free and safe to repeat: any number of calls that only read. */
export interface Task {
	readonly kind: 'task';
	/** Returns the rows. */
	readonly run: (client: Client, options: CallOptions) => Promise<Outcome<unknown>>;
}

/** Makes a call from an endpoint and its input. The compiler checks that they fit. */
export function makeCall<E extends Endpoint>(endpoint: E, input: InputOf<E>): Call {
	return { kind: 'call', endpoint, input };
}

/** All operations, by resource and operation value. */
export type OperationTable = Readonly<Record<string, Readonly<Record<string, Operation>>>>;
