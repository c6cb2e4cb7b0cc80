export { contract, endpoints, events, type Contract } from './contract';
export type { ResponseShape, Endpoint, InputOf, OutputOf, Repeat } from './contract/endpoint';
export type { ErrorCode } from './contract/errors';
export { openApiOperation, openApiSchema, type OpenApiOperation } from './contract/openapi';
export type { PayloadOf } from './contract/events';
export { PAYER_STEPS } from './contract/payerSteps';
export { recognizeEvent, type EventName, type RecognizedEvent } from './contract/recognize';
export { recognizeEvents, type RecognizedRecord } from './contract/recognizeAll';
export { isFinalMessageStatus, messageRank, messageStage, type MessageStage } from './contract/messageProgress';
export { MAX_MESSAGE_CHARACTERS, showsSomething } from './contract/fields';
export { senderNames } from './contract/senderId';
export { contactChoices, type ContactChoice } from './account/contactChoices';
export {
	DEFAULT_BATCH_SIZE,
	hasLeft,
	keepRecipients,
	mayBeOneRecipient,
	planBatches,
	sendBatches,
	SKIP_ADVICE,
	type Batch,
	type BatchOptions,
	type BatchResult,
	type BulkSendOutput,
	type BulkInput,
} from './bulk/batches';
export { groupRecipients, planGroups, type BulkLine, type RecipientGroup } from './bulk/groups';
export { namedRecipients } from './bulk/namedRecipients';
export { outcomeOfOne, type OneRecipientOutput } from './bulk/oneRecipient';
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
	type GivenNumbers,
	type Recipient,
	type Recipients,
	type SkippedRecipient,
	type SkipReason,
} from './bulk/recipients';
export {
	firstMessage,
	unnamedRejections,
	recipientResults,
	skippedResults,
	summarize,
	type BulkSummary,
	type FirstMessage,
	type RecipientResult,
} from './bulk/results';
export { meaningOf } from './contract/words';
export { parseJson } from './reading/json';
export { successFlag } from './reading/response';
export {
	readCheckedCode,
	readRejectedCode,
	type CheckedCode,
	type CheckOptions,
	type CodeCheck,
	type CodeReason,
} from './client/checkedCode';
export { CODE_REASONS } from './reading/code';
export { readSenderNames, senderWarning } from './account/senderCheck';
export { textWarnings, type SentText } from './text/textWarnings';
export { bindEndpoints, createClient, type Client, type ClientOptions, type ListEndpoint } from './client/client';
export type { CallOptions } from './client/connection';
export { sendOnceIdempotencyKey, sendOnceRecipientKey, type SendOnceScope } from './client/idempotencyKeys';
export type { RelayCheck } from './client/relayProof';
export { isRelayLoop, KEY_REUSED, reusedRecipient, type RelayFacts, type SkippedByRelay } from './client/relayReply';
export { KEY_WITHOUT_BALANCE, keyProblem, type KeyCheck } from './client/checkKey';
export * from './client/errors';
export { errorCodeOfText, redact } from './client/errorBody';
export { asSentence, errorFacts, errorMessage, errorText, type Labels } from './client/errorText';
export { NOTHING_CHARGED } from './client/hint';
export { apiKeyIssue, authHeaders, isSandboxKey, parseBaseUrl, type AuthHeader } from './client/request';
export type { Hooks, RequestEvent, ResponseEvent } from './client/hooks';
export { mapCalls, recipientsOf, type MakeCall, type MapOptions, type MapResult } from './client/map';
export { inboundWebhookUrl, forwardInbound, type ForwardedMessage } from './client/forward';
export { withSentFields, type SentFields } from './client/sentFields';
export { throttledTransport, type ThrottleOptions } from './client/throttle';
export type { ListedTransaction, Listing, ReadAllOptions } from './client/pages';
export { unknownHint } from './client/hint';
export type { FailedOutcome, Outcome } from './client/outcome';
export { readResponse, type Reading } from './reading/response';
export {
	decide,
	decideKeyed,
	inDoubtAfter,
	parseRetryAfter,
	type Attempt,
	type KeyedAttempt,
	type KeyedMeaning,
	type RetryDecision,
	type RetryPolicy,
} from './client/retry';
export { createSemaphore, type Semaphore } from './client/semaphore';
export {
	judgeStatus,
	PROGRESS_KEPT_MS,
	withoutStatus,
	type DeliveryProgress,
	type StatusVerdict,
} from './events/deliveryProgress';
export { passesFilters, type EventFilters, type KeywordKind } from './events/eventFilters';
export {
	eventItem,
	inboundKeyword,
	type AlertItem,
	type EventItem,
	type InboundItem,
	type KeywordWords,
	type ReceiptItem,
} from './events/eventItem';
export { parseEventItem } from './events/parseEventItem';
export {
	eventIdentity,
	progressIdentity,
	type EventIdentity,
	type EventSource,
	type IdentityParts,
} from './events/identity';
export { isSameParty, toInternational } from './events/phoneAddress';
export {
	bodyKind,
	MAX_BODY_BYTES,
	MAX_BODY_DEPTH,
	readBody,
	type BodyKind,
	type BodyProblem,
	type JsonFields,
	type JsonValue,
	type ReadBody,
	type ReceivedBody,
} from './events/readBody';
export { groupFields, textDecoder } from './events/formFields';
export { asMessage, asText, readNumber } from './inputs/fieldValue';
export { readSendOnceKey, SEND_ONCE_ADVICE, shownSendOnceKey } from './inputs/sendOnceKey';
export { readTextList } from './inputs/textList';
export { typedAddress } from './inputs/typedAddress';
export { typedCode } from './inputs/typedCode';
export { isInIpRanges, isIpRange } from './network/ipRange';
export { phoneCountries, readDefaultCountry, readPhoneCountry, type NamedCountry } from './phone/phoneCountry';
export {
	isPhoneCountry,
	readPhoneNumber,
	type PhoneCountry,
	type PhoneNumber,
	type PhoneOptions,
	type PhoneType,
} from './phone/phoneNumber';
export type { PhoneProblem, PhoneProblemCode } from './phone/problem';
export { costReport, type CostReport } from './text/costReport';
export { cutText } from './text/cutText';
export {
	readPlaceholder,
	recordedShapes,
	writePlaceholder,
	type Placeholder,
	type PlaceholderKind,
	type RecordedError,
	type RecordedPath,
	type RecordedResponse,
	type RecordedShapes,
	type Template,
} from './shapes/recordedShapes';
export { countSegments, type Encoding, type SegmentCount } from './text/countSegments';
export { estimate, type Estimate, type EstimateInput, type EstimateProblem, type Price } from './text/estimate';
export { keyword, plainStop, type Keyword, type KeywordOptions } from './text/keyword';
export { segments, type ForcingCharacter, type Segmentation } from './text/segments';
export { cheaperSpelling, plainLetters, type CheaperSpelling, type Replacement } from './text/spelling';
export { textDoubts, type TextDoubt } from './text/textDoubts';
export { textProblem } from './text/textProblem';
export {
	departureOf,
	LEAST_AHEAD_MS,
	OUTSIDE_HOURS,
	OUTSIDE_SENDING_HOURS,
	type Departure,
	type MovedFields,
	type OutsideHours,
	type OutsideHoursFields,
	type SendingHoursRule,
} from './time/departure';
export { readSendingHours, type GivenSendingHours } from './time/readSendingHours';
export {
	DEFAULT_SERVICE_ZONE,
	scheduleAt,
	type Schedule,
	type ScheduleOptions,
	type ScheduleProblem,
	type ScheduleProblemCode,
} from './time/scheduleAt';
export {
	clockText,
	DAY_NAMES,
	nextSendingTime,
	type SendingHours,
	type SendingHoursField,
	type SendingHoursProblem,
	type SendingTime,
} from './time/sendingHours';
export {
	connectionFailure,
	nowOf,
	timedOut,
	TransportError,
	type HttpRequest,
	type HttpResponse,
	type SystemFailure,
	type Transport,
} from './transport';
export { balanceShortage, balanceUnread, type WalletBalance } from './wallet/balanceShortage';
export { balanceHistory, findCrossings, type BalancePoint, type Crossing } from './wallet/crossings';
export { compareIds, listOrder, momentOf, type ListOrder } from './wallet/listOrder';
export { paymentStage, type PaymentStage } from './wallet/paymentStage';
export { readNewest, type NewestRows, type ReadingEnd, type ReadOptions, type ReadPage } from './wallet/readNewest';
export { signedAmounts } from './wallet/signedAmounts';
export { transactionChoice, type TransactionChoice } from './wallet/transactionChoice';
export { topUpReport, type TopUpReport } from './wallet/topUpReport';
export { topUpStage, transactionKind, type TopUpStage, type TransactionKind } from './wallet/transactionKind';
export { hasId, transactionName, type WalletRow } from './wallet/walletRow';
