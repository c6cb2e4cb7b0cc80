export { contract, endpoints, events, type Contract } from './contract';
export type { Answer, Endpoint, InputOf, OutputOf, Repeat } from './contract/endpoint';
export type { ErrorCode } from './contract/errors';
export type { PayloadOf } from './contract/events';
export { MAX_MESSAGE_CHARACTERS } from './contract/fields';
export { createClient, type Client, type ClientOptions } from './client/client';
export type { CallOptions } from './client/call';
export * from './client/errors';
export { apiKeyIssue, authHeaders, parseBaseUrl, type AuthHeader } from './client/request';
export type { FailedOutcome, Outcome } from './client/outcome';
export type { RetryPolicy } from './client/retry';
export {
	connectionFailure,
	timedOut,
	TransportError,
	type HttpRequest,
	type HttpResponse,
	type SystemFailure,
	type Transport,
} from './transport';
