export { contract, endpoints, events, type Contract } from './contract';
export type { Endpoint, InputOf, OutputOf, Repeat } from './contract/endpoint';
export type { ErrorCode } from './contract/errors';
export { openApiOperation, openApiSchema, type OpenApiOperation } from './contract/openapi';
export { PAYER_STEPS } from './contract/payerSteps';
export type { EventName } from './contract/recognize';
export { recognizeEvents } from './contract/recognizeAll';
export { isFinalMessageStatus, messageRank, messageStage } from './contract/messageProgress';
export { MAX_MESSAGE_CHARACTERS, showsSomething } from './contract/fields';
export { senderNames } from './contract/senderId';
export { contactChoices } from './account/contactChoices';
export {
	DEFAULT_BATCH_SIZE,
	hasLeft,
	keepRecipients,
	mayBeOneRecipient,
	sendBatches,
	SKIP_ADVICE,
	type Batch,
	type BatchResult,
	type BulkSendOutput,
	type BulkInput,
} from './bulk/batches';
export { groupRecipients, planGroups, type BulkLine } from './bulk/groups';
export { namedRecipients } from './bulk/namedRecipients';
export { outcomeOfOne } from './bulk/oneRecipient';
export {
	DRY_RUN,
	KEY_KNOWN_TO_RELAY,
	KEY_NOT_KNOWN,
	predictBalance,
	predictCall,
	predictCost,
	predictMessage,
	predictSend,
	SAME_KEY_IN_RUN,
	type PredictedBalance,
	type PredictedMessage,
	type PredictedSend,
} from './bulk/prediction';
export {
	readExcludedNumbers,
	readPhoneList,
	readRecipients,
	typedNumbers,
	type Recipient,
	type Recipients,
	type SkippedRecipient,
} from './bulk/recipients';
export {
	firstMessage,
	unnamedRejections,
	recipientResults,
	skippedResults,
	summarize,
	type FirstMessage,
	type RecipientResult,
} from './bulk/results';
export { meaningOf } from './contract/words';
export { parseJson } from './reading/json';
export { readCheckedCode, readRejectedCode, type CheckOptions } from './client/checkedCode';
export { readSenderNames, senderWarning } from './account/senderCheck';
export { textWarnings, type SentText } from './text/textWarnings';
export { bindEndpoints, createClient, type Client, type ClientOptions, type ListEndpoint } from './client/client';
export type { CallOptions } from './client/connection';
export { sendOnceIdempotencyKey, sendOnceRecipientKey, type SendOnceScope } from './client/idempotencyKeys';
export { isRelayLoop, KEY_REUSED, reusedRecipient } from './client/relayReply';
export { KEY_WITHOUT_BALANCE, keyProblem, type KeyCheck } from './client/checkKey';
export * from './client/errors';
export { errorCodeOfText } from './contract/errorWords';
export { redact } from './client/errorBody';
export { asSentence, errorFacts, errorMessage, errorText, type Labels } from './client/errorText';
export { NOTHING_CHARGED } from './client/hint';
export { apiKeyIssue, authHeaders, isSandboxKey, parseBaseUrl, type AuthHeader } from './client/request';
export { mapCalls, recipientsOf, type MakeCall, type MapOptions, type MapResult } from './client/map';
export { inboundWebhookUrl, forwardInbound, type ForwardedMessage } from './client/forward';
export { withSentFields } from './client/sentFields';
export { throttledTransport } from './client/throttle';
export type { Listing, ReadAllOptions } from './client/pages';
export { unknownHint } from './client/hint';
export type { FailedOutcome, Outcome } from './client/outcome';
export { readResponse, type Reading } from './reading/response';
export { decide, parseRetryAfter, type Attempt, type RetryPolicy } from './client/retry';
export { createSemaphore } from './client/semaphore';
export {
	judgeStatus,
	PROGRESS_KEPT_MS,
	withoutStatus,
	type DeliveryProgress,
	type StatusVerdict,
} from './events/deliveryProgress';
export { passesFilters, type EventFilters } from './events/eventFilters';
export {
	eventItem,
	inboundKeyword,
	type AlertItem,
	type EventItem,
	type InboundItem,
	type ReceiptItem,
} from './events/eventItem';
export { parseEventItem } from './events/parseEventItem';
export { eventIdentity, progressIdentity, type EventSource, type IdentityParts } from './events/identity';
export { isSameParty, toInternational } from './events/phoneAddress';
export {
	bodyKind,
	MAX_BODY_BYTES,
	MAX_BODY_DEPTH,
	readBody,
	type BodyProblem,
	type JsonFields,
	type ReadBody,
} from './events/readBody';
export { groupFields, textDecoder } from './events/formFields';
export { asMessage, asText, readNumber } from './inputs/fieldValue';
export { readSendOnceKey, SEND_ONCE_ADVICE, shownSendOnceKey } from './inputs/sendOnceKey';
export { readTextList } from './inputs/textList';
export { typedAddress } from './inputs/typedAddress';
export { typedCode } from './inputs/typedCode';
export { isInIpRanges, isIpRange } from './network/ipRange';
export { phoneCountries, readDefaultCountry } from './phone/phoneCountry';
export { readPhoneNumber, type PhoneCountry, type PhoneOptions } from './phone/phoneNumber';
export { costReport } from './text/costReport';
export { cutText } from './text/cutText';
export {
	readPlaceholder,
	recordedShapes,
	writePlaceholder,
	type Placeholder,
	type RecordedError,
	type RecordedPath,
	type RecordedResponse,
	type RecordedShapes,
	type Template,
} from './shapes/recordedShapes';
export { countSegments, type Encoding } from './text/countSegments';
export { estimate, type Estimate, type Price } from './text/estimate';
export { keyword, plainStop, type Keyword } from './text/keyword';
export { segments } from './text/segments';
export { textProblem } from './text/textProblem';
export {
	departureOf,
	LEAST_AHEAD_MS,
	OUTSIDE_HOURS,
	OUTSIDE_SENDING_HOURS,
	type Departure,
	type MovedFields,
	type OutsideHoursFields,
	type SendingHoursRule,
} from './time/departure';
export { readSendingHours } from './time/readSendingHours';
export { scheduleAt, type Schedule } from './time/scheduleAt';
export { clockText, DAY_NAMES, type SendingHoursField } from './time/sendingHours';
export {
	connectionFailure,
	nowOf,
	timedOut,
	TransportError,
	type HttpRequest,
	type HttpResponse,
	type Transport,
} from './transport';
export { balanceShortage, balanceUnread, type WalletBalance } from './wallet/balanceShortage';
export { balanceHistory, findCrossings } from './wallet/crossings';
export { compareIds, listOrder, momentOf } from './wallet/listOrder';
export { paymentStage } from './wallet/paymentStage';
export { readNewest, type NewestRows } from './wallet/readNewest';
export { signedAmounts } from './wallet/signedAmounts';
export { transactionChoice } from './wallet/transactionChoice';
export { topUpReport } from './wallet/topUpReport';
export { topUpStage, transactionKind } from './wallet/transactionKind';
export { hasId, transactionName, type WalletRow } from './wallet/walletRow';
