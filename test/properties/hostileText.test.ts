import {
	contract,
	keyword,
	errorCodeOfText,
	plainStop,
	redact,
	asSentence,
	countSegments,
	estimate,
	inboundWebhookUrl,
	isInIpRanges,
	parseBaseUrl,
	readExcludedNumbers,
	readPhoneList,
	readPhoneNumber,
	readRecipients,
	recipientResults,
	scheduleAt,
	readSendOnceKey,
	segments,
	textProblem,
	typedAddress,
	typedCode,
} from '../../shared';
import { recognizeEvent } from '../../shared/contract/recognize';
import { cheaperSpelling, plainLetters } from '../../shared/text/spelling';
import { isPhoneCountry } from '../../shared/phone/phoneNumber';
import { textDoubts } from '../../shared/text/textWarnings';
import { isSameParty, toInternational } from '../../shared/events/phoneAddress';
import { parseJson } from '../../shared/reading/json';
import { extractOutput, readResponse, successFlag } from '../../shared/reading/response';
import { failedByResponse } from '../../shared/client/outcome';
import { parseErrorBody } from '../../shared/client/errorBody';
import { parseRetryAfter } from '../../shared/client/retry';
import { nextPage } from '../../shared/client/nextPage';
import { readBulkResponse } from '../../shared/reading/bulk';
import { namedRecipients } from '../../shared/bulk/namedRecipients';
import { findList } from '../../shared/contract/find';
import { messageStage } from '../../shared/contract/messageProgress';
import { signsIn } from '../../shared/reading/signs';
import { readVerdict } from '../../shared/reading/code';
import { isNothing, kindOfKey, meaningOf, wordsOf } from '../../shared/contract/words';
import { listOrder } from '../../shared/wallet/listOrder';
import { paymentStage } from '../../shared/wallet/paymentStage';
import { signedAmounts } from '../../shared/wallet/signedAmounts';
import { transactionKind } from '../../shared/wallet/transactionKind';
import {
	emailAddress,
	identifier,
	messageText,
	messageId,
	money,
	mysqlDateTime,
	phoneNumber,
	returnUrl,
	senderIdName,
} from '../../shared/contract/fields';
import { parseDecimal } from '../../shared/text/decimal';
import { withoutHtml } from '../../shared/text/withoutHtml';
import { parseIsoText } from '../../shared/time/isoText';
import { openZone } from '../../shared/time/zone';
import { readReference } from '../../nodes/MessagingService/operations/wallet/topUpReference';
import { ipRanges } from '../../nodes/MessagingService/triggers/webhook/settingReaders';
import { isSigned, signatureIssue } from '../../nodes/MessagingService/triggers/webhook/authenticate';
import { isOutOfReach } from '../../nodes/MessagingService/execution/sendAndWait/resumeUrl';
import { questionPage } from '../../nodes/MessagingService/execution/sendAndWait/responsePage';
import { isSecret } from '../../nodes/MessagingService/triggers/webhook/secret';
import { toBoolean, optionalNumber, textInput } from '../../zapier/runtime/inputs';
import { isLong } from '../support/random';
import { plainName } from '../../zapier/searches/findContact';

/** The longer of two texts has this many times the length. */
const GROWTH = 64;

/**
 * Reading the longer text may take this many times as long as reading the shorter one {@link GROWTH} times. Linear code takes
 * about as long, or a few times as long beyond the caches of a processor. Quadratic code takes 64 times as long.
 */
const MOST_RATIO = 16;

/** The clock of processor time may go in steps of several milliseconds, so that shorter times say nothing. */
const SHORTEST_MS = 20;

/** How often a comparison is repeated. The best times count, because garbage collection may slow down one. */
const TRIES = 5;

/**
 * Lengths of the longer texts. Slower code fails at a length where it takes seconds, not minutes. `npm run test:long` reads
 * every text, and also longer ones.
 */
const STEPS = isLong
	? ([
			{ size: 8_000, of: 'families' },
			{ size: 60_000, of: 'long' },
			{ size: 500_000, of: 'longest' },
		] as const)
	: ([{ size: 40_000, of: 'long' }] as const);

/** Characters or strings to repeat. */
const pumps: readonly string[] = [
	...[' ', '\t', '\n', ' \n', '\u00a0', '\u200b', '\u2028', '\u202e', '\u0000'],
	...["'", '"', '=', '’', '"\'', '\\', '\\"', '`'],
	...['<', '< ', '<script>', '<script ', '<style', '<!--', '<a href="', '</script', '<p>', '>', '<>'],
	...[
		'0',
		'1',
		'12 ',
		'1,',
		'1,111',
		'1.',
		'0,',
		'1 1',
		'９',
		'٣',
		'.0',
		'0000000 ',
		'1e',
		'-',
		'+',
		'+1',
		'+233201234567,',
	],
	...['(', ')', '()', '[', ']', '[]', '[[],', '{"a":', '["1",', ',', ';', '|', '/', '//', '.', '..', '..,'],
	...[
		'&',
		'&a',
		'&#',
		'&#1',
		'&#x1;',
		'&amp;',
		'&lt;',
		'%',
		'%\n',
		'#',
		'#\n',
		'?',
		'@',
		'a@',
		'a@a.',
		'a.',
		'a-',
		'-a.',
	],
	...['a', 'A', 'AAA', 'AAA ', ' AAA', 'Aa1', 'ab ', 'é', 'ß', 'İ', 'ﷺ', '\u0301', '\u0301\u0323', 'e\u0301', '\u0344'],
	...['😀', '\ud83d', '👨‍👩‍👧', '🇬🇭', '₵', 'GH', 'GHS ', 'GH₵'],
	...[
		'sk_',
		'sk_live_',
		'_',
		'-_',
		'no ',
		'not ',
		'low_',
		'balance ',
		'wallet',
		'low_wallet_',
		'balance_is_',
		'sender ',
		'sender id ',
	],
	...[
		'email un',
		'domain not ',
		'verify ',
		'code ',
		'invalid code',
		'too_many ',
		'no more ',
		'opt_',
		'opt out',
		'attempts ',
		'max ',
		'used ',
	],
	...[
		'STOP',
		'STOP ',
		'whats',
		'tel:',
		'http://',
		'https://a/',
		'/api/v1/',
		'::',
		'f:',
		'::ffff:1',
		'1.1.1.1,',
		'sha256 ',
		'sha256=',
	],
	...[
		'2026-11-20 ',
		'08:30:00',
		'T',
		'Mon, ',
		'top_',
		'success',
		'message ',
		'is ',
		'reference=1&',
		'10.',
		'.localhost',
	],
];

/** The beginning and end of a text. An end that does not match makes a pattern retry from other positions. */
const frames = [
	['1', '1'],
	['a', '\n!'],
] as const;

type Family = readonly [name: string, make: (length: number) => string];

const special: readonly Family[] = [
	['nested lists', (length) => '['.repeat(length / 2) + ']'.repeat(length / 2)],
	['nested objects', (length) => '{"a":'.repeat(length / 6) + '1' + '}'.repeat(length / 6)],
	['nested tags', (length) => '<b>'.repeat(length / 7) + '</b>'.repeat(length / 7)],
	[
		'different characters beyond 16 bits',
		(length) => Array.from({ length: length / 2 }, (_, at) => String.fromCodePoint(0x10000 + at)).join(''),
	],
	['different characters', (length) => Array.from({ length }, (_, at) => String.fromCharCode(at % 0xd800)).join('')],
	['different numbers', (length) => Array.from({ length: length / 8 }, (_, at) => 1_000_000 + at).join(' ')],
	['marks out of order', (length) => `e${'\u0301'.repeat(length / 2)}${'\u0323'.repeat(length / 2)}`],
	['half spaces, half figures', (length) => `${' '.repeat(length / 2)}${'1'.repeat(length / 2)}x`],
];

const pumped = (pump: string, [before, after]: readonly [string, string]): Family => [
	`${JSON.stringify(before)} ${JSON.stringify(pump)}... ${JSON.stringify(after)}`,
	(length) => before + pump.repeat(Math.ceil(length / pump.length)) + after,
];

/** The families of hostile texts, by length in UTF-16 units. */
const families = [...pumps.flatMap((pump) => frames.map((frame) => pumped(pump, frame))), ...special];

/** Families for texts that take longer to read: one for each pump. */
const long = [...pumps.map((pump, at) => pumped(pump, frames[at % 2 === 0 ? 0 : 1])), ...special];

/** Families for the longest texts: only those that are slow for patterns of white space, quotes, tags and marks. */
const longest = [
	...[' ', '\n', '"', '<', '<script>', '1', '1,', '(', '[', ',', '&', '&a', '%\n', '/', 'a@a.', 'AAA '].map((pump) =>
		pumped(pump, ['1', '1']),
	),
	...special,
];

const json = (value: unknown) => JSON.stringify(value);
const { sms, email, verification, wallet, contact } = contract;
const scheme = { secret: 's', header: 'x-signature', algorithm: 'sha256', encoding: 'hex' } as const;
const about = (endpoint: typeof sms.send, input: Record<string, unknown>) => ({
	endpoint,
	input,
	secrets: ['sk_live_1'],
	keyWorked: true,
});
const rejected = (status: number, body: string, input: Record<string, unknown> = {}) => {
	const response = { status, headers: {}, body };
	return failedByResponse(about(sms.send, input), response, readResponse(sms.send, response, input), false);
};

/** All functions that read a text from outside, by name. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
	'readPhoneNumber: a typed number': (text) =>
		readPhoneNumber(text, { sandboxNumbers: true, allowUnknownRanges: true }),
	'isPhoneCountry: a default country': (text) => isPhoneCountry(text),
	'readRecipients: a list as text': (text) => readRecipients([{ value: text, source: 0 }], {}),
	'readRecipients: a list in a list': (text) => readRecipients([{ value: [[text], { text }], source: 0 }], {}),
	'readExcludedNumbers: a list as text': (text) => readExcludedNumbers(text, {}),
	'readPhoneList: a list as text': (text) => readPhoneList(text, {}),
	'recipientResults: the numbers of a bulk response': (text) =>
		recipientResults({
			index: 0,
			outcome: 'accepted',
			input: {
				name: '0',
				input: { to: ['+233201234567'], sender_id: 'K', message: 'm' },
				recipients: [{ to: '+233201234567', source: 0, position: 0 }],
			},
			output: { success: true, results: [{ to: text, status: text }], [text]: 1 },
		}),
	'readTold: a bulk response': (text) =>
		readBulkResponse(
			{ [text]: [text, { to: text, status: text, error: text }], failed: [{ to: text }], results: [{ to: text }] },
			['+233201234567'],
			{ to: ['+233201234567'], sender_id: 'K', message: text },
		),
	'namedRecipients: a rejection': (text) => namedRecipients(text, [{ to: '+233201234567', source: 0, position: 0 }]),
	'words of a response': (text) => [wordsOf(text), kindOfKey(text), meaningOf(text), isNothing(text)],
	'messageStage: a status': (text) => messageStage(text),
	'followingPage: links and cursors': (text) =>
		nextPage({
			body: { next_page_url: text, meta: { next_cursor: text, last_page: text }, links: { next: text } },
			linkHeader: text,
			url: 'https://service.example/api/v1/contacts',
			pages: 1,
			rows: 1,
			pageRows: 1,
		}),
	'wallet transactions': (text) => {
		const row = { id: text, type: text, amount: 1, balance: 1, created_at: text, status: text, description: text };
		return [transactionKind(row), paymentStage(text), listOrder([row, row]), signedAmounts([row, row])];
	},
	'keyword: an inbound message': (text) => keyword(text, { own: ['ORDER'], senders: ['KOFISHOP'], yesIsStart: true }),
	'plainStop: an inbound message': (text) => plainStop({ message: text, keyword: 'stop' }),
	'segments: a message': (text) => segments(text),
	'countSegments: a message': (text) => countSegments(text),
	'cheaperSpelling: a message': (text) => cheaperSpelling(text),
	'plainLetters: a message': (text) => plainLetters(`ɛ${text}`),
	'estimate: a message and a price': (text) => estimate({ text, recipients: 2, price: { perSegment: text } }),
	'parseDecimal: an amount': (text) => parseDecimal(text),
	'scheduleAt: a time': (text) => scheduleAt(text, { now: 0, localZone: 'Africa/Accra' }),
	'scheduleAt: a zone': (text) => scheduleAt('2999-01-01T00:00', { now: 0, localZone: text, serviceZone: text }),
	'textProblem, textDoubts: a message': (text) => [textProblem(text), textDoubts(text)],
	'readSendOnceKey: a key': (text) => readSendOnceKey(text, text),
	'typedCode: a code': (text) => typedCode(text),
	'typedAddress: an address': (text) => typedAddress(text),
	'withoutHtml: a list of numbers': (text) => withoutHtml(text),
	'parseIsoText: a time': (text) => parseIsoText(text),
	'openZone: a zone': (text) => openZone(text),
	'money: an amount': (text) => money.safeParse(text),
	'messageText: a message': (text) => messageText.safeParse(text),
	'emailAddress: an address': (text) => emailAddress.safeParse(text),
	'phoneNumber: a number': (text) => phoneNumber.safeParse(text),
	'senderIdName: a sender ID': (text) => senderIdName.safeParse(text),
	'mysqlDateTime: a time': (text) => mysqlDateTime.safeParse(text),
	'returnUrl: an address': (text) => returnUrl.safeParse(text),
	'messageId: an ID': (text) => messageId.safeParse(text),
	'identifier: an ID': (text) => identifier.safeParse(text),
	'endpoint inputs: every field': (text) => [
		sms.send.input.safeParse({ to: text, sender_id: text, message: text }),
		sms.sendBulk.input.safeParse({ to: [text], sender_id: text, message: text, schedule_at: text }),
		email.send.input.safeParse({ to: text, subject: text, message: text }),
		verification.check.input.safeParse({ verification_id: text, code: text }),
		contact.create.input.safeParse({ name: text, phone: text }),
	],
	'recognizeEvent: an inbound message': (text) => recognizeEvent({ from: text, to: text, message: text, id: text }),
	'recognizeEvent: a delivery receipt': (text) => recognizeEvent({ message_id: text, status: text, channel: text }),
	'recognizeEvent: a low-balance alert': (text) => recognizeEvent({ balance: text, threshold: text, currency: text }),
	'recognizeEvent: the name of an event': (text) => recognizeEvent({ event: text, from: '1', to: '2', message: '3' }),
	'parseJson, findList, findAnswer: a body': (text) => {
		const value = parseJson(text)?.value;
		return [
			findList(value),
			extractOutput(sms.send, value),
			successFlag(value),
			signsIn({ status: text, code: text, [text]: text }),
			readVerdict({ status: text, message: text, [text]: text }),
		];
	},
	'readAnswer: a send': (text) =>
		readResponse(
			sms.send,
			{
				status: 200,
				headers: {},
				body: json({ message_id: text, status: text, cost: text, balance: text }),
			},
			{ message: text },
		),
	'readAnswer: a checked code': (text) =>
		readResponse(
			verification.check,
			{
				status: 200,
				headers: {},
				body: json({ valid: text, status: text, message: text, reason: text }),
			},
			{ message: text },
		),
	'readAnswer: transactions': (text) =>
		readResponse(
			wallet.listTransactions,
			{
				status: 200,
				headers: {},
				body: json({ data: [{ id: text, type: text, amount: text, balance: text }] }),
			},
			{ message: text },
		),
	'readAnswer: a bulk send': (text) =>
		readResponse(
			sms.sendBulk,
			{
				status: 200,
				headers: {},
				body: json({ results: [{ to: text, status: text }], [text]: [text], cost: text }),
			},
			{ message: text },
		),
	'readRefusal: a body that is not JSON': (text) => parseErrorBody(422, text, (words) => words),
	'failedByAnswer: a body that is not JSON': (text) =>
		rejected(422, text, { message: 'Your code is 123456', code: '4821' }),
	'failedByAnswer: code and message': (text) =>
		rejected(422, json({ code: text, message: text, errors: { to: [text] } })),
	'errorCodeOfText: a message of the service': (text) =>
		[sms.send, email.send, verification.check].map((endpoint) => errorCodeOfText(endpoint, text)),
	'redact: a message of the service': (text) =>
		redact(text, { message: 'Your code is 123456, Ama', code: '4821' }, ['sk_live_1']),
	'redact: a message that is repeated': (text) =>
		redact(text.slice(1), { message: text, code: text, subject: text }, [text]),
	'parseRetryAfter: a header': (text) => parseRetryAfter(text, 0),
	'parseBaseUrl: a base URL': (text) => [parseBaseUrl(text, 'sk_1'), parseBaseUrl(`https://a.example/${text}`, 'sk_1')],
	'inboundWebhookUrl: a base URL': (text) => inboundWebhookUrl(`https://a.example/${text}`, 'sk_1'),
	'readReference: what a return URL received': (text) => [readReference(text), readReference(`?reference=${text}`)],
	'asSentence: a message of the service': (text) => asSentence(text),
	'isInIpRanges: the address of a request': (text) => isInIpRanges(text, ['203.0.113.0/24', '2001:db8::/32']),
	'ipRanges: a list of addresses': (text) => ipRanges(text),
	'toInternational, isSameParty: a sender': (text) => [toInternational(text), isSameParty(text, `${text}1`)],
	'isSigned: the header of a request': (text) => [
		isSigned(text, Buffer.from(''), scheme),
		isSigned(text, Buffer.from(''), { ...scheme, encoding: 'base64' }),
	],
	'signatureIssue: a credential': (text) => signatureIssue({ signatureSecret: 's', signatureHeader: text }),
	'isSecret: the path of a request': (text) => isSecret(text, ['a'.repeat(32)]),
	'isOutOfReach: a host name': (text) => isOutOfReach(text),
	'questionPage: a question': (text) =>
		questionPage({ sender: text, message: text, answer: { kind: 'freeText' } }, 'several', text),
	'textInput, isYes: a field of a Zap': (text) => [textInput(text), toBoolean(text)],
	'optionalNumber: a field of a Zap': (text) => {
		try {
			return optionalNumber(text, 'amount');
		} catch (error) {
			return error;
		}
	},
	'plainName: a name': (text) => plainName(text),
};

/** Processor time of this thread in milliseconds, without other programs. */
function workMs(work: () => unknown): number {
	const before = process.threadCpuUsage();
	work();
	const { user, system } = process.threadCpuUsage(before);
	return (user + system) / 1000;
}

const sets = { families, long, longest };
const texts = STEPS.flatMap(({ size, of }) =>
	sets[of].map(([family, make]) => ({
		name: `${size} characters of ${family}`,
		short: make(size / GROWTH),
		long: make(size),
	})),
);

/** Whether the time grows faster than the length in all comparisons. */
function isSlow(readShort: () => unknown, readLong: () => unknown): boolean {
	let [shortMs, longMs] = [Infinity, Infinity];
	for (let count = 0; count < TRIES; count += 1) {
		longMs = Math.min(longMs, workMs(readLong));
		if (longMs <= MOST_RATIO * SHORTEST_MS) return false;
		const times = workMs(() => {
			for (let time = 0; time < GROWTH; time += 1) readShort();
		});
		shortMs = Math.min(shortMs, times);
		if (longMs <= MOST_RATIO * Math.max(shortMs, SHORTEST_MS)) return false;
	}
	return true;
}

describe.each(Object.keys(readers))('%s', (name) => {
	const read = readers[name] ?? (() => undefined);

	it('reads hostile texts in linear time', () => {
		const slow = texts.find(({ short, long }) =>
			isSlow(
				() => read(short),
				() => read(long),
			),
		);
		expect(slow?.name).toBeUndefined();
	}, 300_000);
});
