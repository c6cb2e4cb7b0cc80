import { messageStage } from '../../shared';
import type { Examined } from '../examine';
import type { PaidChannel } from '../paid/channels';
import { isPublicWord } from '../publicNames';
import {
	isUnreadable,
	joined,
	notAttempted,
	respondedAll,
	worst,
	type Facts,
	type Finding,
	type Row,
	type Verdict,
} from './row';

function paidRun(channels: string): string {
	return `Run the doctor with \`--send-to NUMBER --max-spend AMOUNT --channels ${channels}\`.`;
}

/** The sends on these channels that got a response. */
function sendsOn({ paid }: Facts, channels: readonly PaidChannel[]): Examined[] {
	return paid?.channels.flatMap(({ channel, send }) => (send && channels.includes(channel) ? [send] : [])) ?? [];
}

/** A rejected send, e.g. for lack of money, says nothing about the response of an accepted one. */
function verdictOf({ outcome, ...examined }: Examined): Verdict {
	if (outcome.outcome === 'accepted') return 'ok';
	return outcome.outcome === 'unknown' || isUnreadable({ ...examined, outcome }) ? 'unreadable' : 'not attempted';
}

/** The row of a send: where its fields are. */
function sendRow(sends: readonly Examined[], fields: readonly string[], channels: string): Finding {
	const verdict = worst(sends.map(verdictOf));
	if (verdict === 'not attempted') {
		const service = sends.length > 0 ? `The service rejected it. ${respondedAll(sends)}` : 'Unknown.';
		return { ...notAttempted(paidRun(channels)), service };
	}
	const places = sends.flatMap(({ placesOf }) =>
		fields.flatMap((field) => placesOf(field).map((place) => `\`${field}\` at ${place}`)),
	);
	return {
		service: respondedAll(sends),
		reading: places.length > 0 ? `Reads ${joined(places)}.` : 'Reads none of its fields.',
		verdict,
	};
}

const SENT = ['message_id', 'status', 'cost', 'billed_via', 'balance'];

const messageStatuses: Row = ({ paid }) => {
	const statuses = paid?.channels.flatMap((channel) => channel.statuses) ?? [];
	if (statuses.length === 0) return notAttempted(paidRun('sms'));
	const words = [...new Set(statuses.flatMap(({ outcome }) => statusOf(outcome)))];
	const unknown = words.filter((word) => messageStage(word) === undefined);
	const read = worst(statuses.map(verdictOf));
	return {
		service: respondedAll(statuses.slice(-1)),
		reading:
			unknown.length === 0 ? 'Every status is a known one.' : 'A status has an unknown word, so it is not final.',
		verdict: read === 'ok' && unknown.length > 0 ? 'differs' : read,
		...(unknown.length > 0 && { next: `Add ${joined(unknown.map(lineOf))} to its stage in \`${STAGES}\`.` }),
	};
};

const STAGES = 'shared/contract/messageProgress.ts';

/** The line for an unknown status, as the list has it. A word that could be private is not shown. */
function lineOf(word: string): string {
	return isPublicWord(word) ? `\`'${word.toLowerCase().replace(/[\s_.-]/g, '')}',\`` : 'the word';
}

function statusOf(outcome: Examined['outcome']): string[] {
	if (outcome.outcome !== 'accepted') return [];
	const { output } = outcome;
	const isRecord = typeof output === 'object' && output !== null && 'status' in output;
	return isRecord && typeof output.status === 'string' ? [output.status] : [];
}

const codeCheck: Row = ({ unknownIds, paid }) => {
	const checks = unknownIds.filter(({ endpoint }) => endpoint.id === 'verification.check');
	const all = paid?.wrongCode ? [...checks, paid.wrongCode] : checks;
	const one = ({ outcome }: Examined): { readonly text: string; readonly verdict: Verdict } => {
		if (outcome.outcome === 'unknown') return { text: 'The result of a wrong code is unknown', verdict: 'unreadable' };
		if (outcome.outcome !== 'accepted') return { text: 'A wrong code is rejected', verdict: 'ok' };
		const { output } = outcome;
		const valid = typeof output === 'object' && output !== null && 'valid' in output && output.valid === true;
		return valid
			? { text: 'A wrong code counts as right', verdict: 'unreadable' }
			: { text: 'A wrong code is not valid', verdict: 'ok' };
	};
	return {
		service: respondedAll(all),
		reading: joined(all.map((examined) => one(examined).text)),
		verdict: worst(all.map((examined) => one(examined).verdict)),
		next: 'The doctor tries no right code. Check one in n8n or Zapier.',
	};
};

/** Rows about sends, one-time codes and lookups. */
export const sendingRows = {
	'Bulk responses': (facts) =>
		sendRow(
			sendsOn(facts, ['bulk']),
			['batch_id', 'status', 'cost', 'results.to', 'results.message_id', 'results.status'],
			'bulk',
		),
	'Bulk size': () => notAttempted('It would cost a message to each number. Ask the service for its maximum.'),
	'The from field': () => notAttempted('Nothing depends on it: the client always sends `sender_id`.'),
	'Message statuses': messageStatuses,
	'Other channels': (facts) => sendRow(sendsOn(facts, ['whatsapp', 'email', 'voice']), SENT, 'whatsapp,email,voice'),
	'Verification IDs': (facts) => sendRow(sendsOn(facts, ['verification']), ['verification_id'], 'verification'),
	'Code check responses': codeCheck,
	'Verification states': (facts) => sendRow(sendsOn(facts, ['verification']), ['status'], 'verification'),
	'Lookup cost': (facts) => sendRow(sendsOn(facts, ['lookup']), ['cost', 'valid'], 'lookup'),
} satisfies Record<string, Row>;
