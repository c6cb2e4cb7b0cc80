import { type INode, type JsonObject, ExecutionBaseError, NodeApiError, NodeOperationError } from 'n8n-workflow';
import { errorFacts, errorMessage, type Labels, type ServiceError } from '../../../shared';

/** A failure as the user reads it. */
export interface Explanation {
	/** What happened, in the service's own words if it gave any. */
	readonly message: string;
	/** What to do next. */
	readonly description: string;
}

/**
 * Explains a failure to the user, with the field names that the node shows.
 * @param labels display names by wire name
 */
export function explainError(error: ServiceError, labels?: Labels): Explanation {
	return { message: errorMessage(error, labels), description: `${error.hint}${errorFacts(error)}` };
}

/**
 * Converts our error to n8n's. n8n replaces some messages with a stock sentence (by status, or by a word such as
 * "eexist" in the service's text). This restores the service's own words.
 * @param itemIndex the input item that failed
 */
export function toNodeError(
	node: INode,
	error: ServiceError,
	itemIndex: number | undefined,
	labels?: Labels,
): NodeApiError | NodeOperationError {
	const { message, description } = explainError(error, labels);
	const options = { message, description, itemIndex };
	const nodeError =
		error.status === undefined
			? new NodeOperationError(node, message, options)
			: new NodeApiError(node, answerOf(error), { ...options, httpCode: String(error.status) });
	nodeError.message = message;
	nodeError.description = description;
	return nodeError;
}

/**
 * Like {@link toNodeError}, but returns n8n's own error if it is the cause. For a bad expression, it shows the user the
 * field.
 */
export function causeOrNodeError(
	node: INode,
	error: ServiceError,
	itemIndex: number | undefined,
	labels?: Labels,
): ExecutionBaseError {
	return error.cause instanceof ExecutionBaseError ? error.cause : toNodeError(node, error, itemIndex, labels);
}

function answerOf(error: ServiceError): JsonObject {
	return { message: error.message, code: error.code ?? null, httpCode: String(error.status) };
}
