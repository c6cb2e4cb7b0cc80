/** The stage of a message: the five documented statuses (docs/api.md#message-states), and `read` of chat channels. */
export type MessageStage = 'queued' | 'submitted' | 'sent' | 'delivered' | 'failed' | 'read';

/**
 * Words for each stage: those of the API, of SMPP (DELIVRD, UNDELIV, REJECTD, ...), and of other gateways. Without
 * separators, because services write DELIVERED_TO_HANDSET, DeliveredToHandset and "delivered to handset".
 */
const WORDS: Readonly<Record<MessageStage, readonly string[]>> = {
	queued: [
		...['queued', 'accepted', 'acceptd', 'pending', 'scheduled', 'created', 'initiated', 'processing', 'processed'],
		...['inprogress', 'inqueue', 'waiting', 'messagewaiting', 'deferred'],
	],
	submitted: ['submitted', 'sending'],
	sent: [
		...['sent', 'dispatched', 'enroute', 'buffered', 'intransit', 'transmitted', 'delivering', 'outfordelivery'],
		...['deliveredtonetwork', 'deliveredtocarrier', 'deliveredtooperator', 'deliveredtogateway', 'deliveredtosmsc'],
		...['senttonetwork', 'senttocarrier', 'senttooperator', 'senttogateway', 'senttosmsc'],
	],
	delivered: [
		'delivered',
		'delivrd',
		'deliveredtohandset',
		'deliveredtoterminal',
		'deliveredtodevice',
		'deliveredtouser',
	],
	failed: [
		...['failed', 'failure', 'deliveryfailed', 'deliveryfailure', 'permanentlyfailed', 'failedpermanently'],
		...['undelivered', 'undeliv', 'undeliverable', 'notdelivered', 'deliveryimpossible', 'rejected', 'rejectd'],
		...['expired', 'cancelled', 'canceled', 'deleted', 'blocked', 'bounced', 'hardbounce', 'notsent', 'optedout'],
	],
	read: ['read', 'seen', 'opened'],
};

const STAGES: readonly MessageStage[] = ['queued', 'submitted', 'sent', 'delivered', 'failed', 'read'];
const stageByWord = new Map(STAGES.flatMap((stage) => WORDS[stage].map((word) => [word, stage] as const)));

/** Delivered and failed have the same rank: both end a message, and neither follows the other. */
const RANKS: Readonly<Record<MessageStage, number>> = {
	queued: 0,
	submitted: 1,
	sent: 2,
	delivered: 3,
	failed: 3,
	read: 4,
};

/** Longer than any word in the table. */
const LONGEST_STATUS = 100;

/**
 * Finds the stage that a message status names (docs/api.md#message-states), in any case and with any separators.
 * @param status as a service writes it: `delivered`, `DELIVRD`, `Delivered to handset`
 * @returns undefined for an unknown status
 * @example messageStage('UNDELIV'); // 'failed'
 */
export function messageStage(status: string): MessageStage | undefined {
	return status.length > LONGEST_STATUS ? undefined : stageByWord.get(status.toLowerCase().replace(/[\s_.-]/g, ''));
}

/**
 * Ranks a message status, to compare two statuses of one message: a higher rank comes later.
 * @returns 0 (queued) to 4 (read); undefined for an unknown status
 * @example messageRank('pending'); // 0
 */
export function messageRank(status: string): number | undefined {
	const stage = messageStage(status);
	return stage && RANKS[stage];
}

/**
 * Whether a message status ends the delivery: delivered, failed, read, or another word for these. An unknown status is
 * not final, because a caller that stops waiting too early pays for a second channel.
 * @example isFinalMessageStatus('enroute'); // false
 */
export function isFinalMessageStatus(status: string): boolean {
	return (messageRank(status) ?? 0) >= RANKS.delivered;
}
