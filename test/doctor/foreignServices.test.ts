import { contract, createClient } from '../../shared';
import { undiciTransport } from '../../shared/transports/undici';
import {
	aggregatorService,
	RECIPIENTS,
	resourceService,
	RIGHT_CODE,
	statusGroupService,
	type Fate,
	type ForeignService,
} from '../support/foreignServices';
import { doctorWith, linesIn, type Line } from '../support/missingLines';
import { runDoctor, type DoctorRun } from '../support/runDoctor';
import { temporaryFolder } from '../support/temporaryFolder';

const CHANNELS = ['sms', 'bulk', 'verification', 'lookup', 'whatsapp', 'email', 'voice'];
const FATES = Object.keys(RECIPIENTS) as Fate[];
const ACCEPTED = 'the service accepted it';
const REJECTED = 'the service rejected it';

function optionsFor(fate: Fate): string[] {
	const { phone, email } = RECIPIENTS[fate];
	return [
		...['--send-to', phone, '--send-to-email', email, '--sender', 'KOFISHOP', '--max-spend', '1'],
		...['--channels', CHANNELS.join(','), '--prices', CHANNELS.map((channel) => `${channel}=0.05`).join(',')],
	];
}

/** What the doctor prints for one service, written by hand. */
interface Case {
	readonly start: () => Promise<ForeignService>;
	/** The section "Lines to add" of a run whose messages are sent. */
	readonly lines: readonly string[];
	/** The statuses for `NO` in a run whose messages are declined. */
	readonly negative: readonly string[];
	/** The real name of each masked one, as the owner of the account knows it, in each of these runs. */
	readonly names: Readonly<Partial<Record<Fate, Readonly<Record<string, string>>>>>;
	/** Channels that are accepted without and with the lines. */
	readonly accepted: readonly [before: readonly string[], after: readonly string[]];
	/** Rows that stay unreadable, because no name that is added could change them. */
	readonly unreadable: readonly string[];
	/** How the client reads the response to a right code. */
	readonly rightCode: 'right' | 'unclear';
}

const CASES: Readonly<Record<string, Case>> = {
	'groups of statuses': {
		start: statusGroupService,
		lines: [
			"shared/contract/senderId.ts senderIdAliases.status: 'field_1',",
			"shared/contract/wallet.ts transactionAliases.amount: 'price.amount',",
			"shared/contract/wallet.ts transactionAliases.balance: 'field_3.amount',",
			"shared/contract/wallet.ts transactionAliases.created_at: 'field_4',",
			"shared/contract/words.ts YES: 'pending_accepted',",
			"shared/contract/verification.ts verificationIdAliases: 'pinId',",
			"shared/contract/words.ts YES: 'field_6',",
			"shared/contract/words.ts YES: 'message_sent',",
			"shared/contract/words.ts YES: 'pending_enroute',",
			"shared/client/errorBody.ts MESSAGE_PLACES: 'requestError.serviceException.text',",
		],
		negative: [],
		names: {
			sent: {
				field_1: 'registrationState',
				field_3: 'balanceAfter',
				field_4: 'bookedAt',
				field_6: 'nc_destination_reachable',
			},
		},
		accepted: [[], ['sms', 'bulk', 'verification', 'whatsapp', 'email', 'voice']],
		// An empty list for an unknown ID, a lookup without a field for valid, and phones in a list of their own.
		unreadable: [
			...['Envelopes', 'Error fields', 'Unknown IDs', 'Failures with status 200', 'Lookup cost', 'Contact fields'],
		],
		rightCode: 'right',
	},
	'names and amounts of an aggregator': {
		start: aggregatorService,
		lines: [
			"shared/contract/wallet.ts transactionAliases.type: 'category',",
			"shared/contract/verification.ts verificationIdAliases: 'verificationRef',",
			"shared/contract/words.ts YES: 'field_4',",
			"shared/contract/words.ts YES: 'enroute',",
			"shared/contract/messageStatus.ts messageIdAliases: 'sessionId',",
		],
		negative: ['field_6', 'field_7', 'field_8'],
		names: {
			sent: { field_4: 'codesent' },
			declined: { field_6: 'useroptedout', field_7: 'insufficientcredit', field_8: 'invalidphonenumber' },
		},
		accepted: [
			['sms', 'bulk', 'email', 'voice'],
			['sms', 'bulk', 'verification', 'whatsapp', 'email', 'voice'],
		],
		// A status `Failure` for an unknown ID, and a lookup whose validity is a word.
		unreadable: ['Envelopes', 'Unknown IDs', 'Failures with status 200', 'Lookup cost'],
		rightCode: 'unclear',
	},
	'resources and attributes': {
		start: resourceService,
		lines: [
			"shared/contract/senderId.ts NAMES: 'attributes.name',",
			"shared/contract/senderId.ts senderIdAliases.status: 'attributes.state',",
			"shared/contract/contact.ts contactAliases.phone: 'attributes.phone_number',",
			"shared/contract/contact.ts contactAliases.name: 'attributes.given_name',",
			"shared/contract/contact.ts contactAliases.name: 'attributes.field_1',",
			"shared/contract/wallet.ts transactionAliases.amount: 'attributes.field_2.amount',",
			"shared/contract/wallet.ts transactionAliases.balance: 'attributes.field_3.amount',",
			"shared/contract/wallet.ts transactionAliases.created_at: 'attributes.field_4',",
			"shared/contract/messageStatus.ts messageAliases.status: 'attributes.state',",
			"shared/contract/charges.ts chargeAliases.cost: 'attributes.charge.amount',",
			"shared/contract/words.ts YES: 'in_transit',",
			"shared/contract/words.ts YES: 'in_progress',",
			"shared/contract/words.ts YES: 'field_6',",
			"shared/contract/lookup.ts lookupAliases.valid: 'field_7',",
		],
		negative: ['field_5'],
		names: {
			sent: {
				field_1: 'family_name',
				field_2: 'sum',
				field_3: 'funds_after',
				field_4: 'occurred_at',
				field_6: 'awaiting_code',
				field_7: 'is_reachable',
			},
			declined: { field_5: 'barred' },
		},
		accepted: [[], CHANNELS],
		unreadable: [],
		rightCode: 'unclear',
	},
};

/** What a report says of each channel. */
function resultsIn({ report }: DoctorRun): Record<string, string> {
	const [, section = ''] = report.split('could cost money:\n');
	return Object.fromEntries(
		[...section.matchAll(/^- (\w+): (.*?)\./gm)].map(([, channel = '', result = '']) => [channel, result]),
	);
}

function acceptedIn(run: DoctorRun): string[] {
	return CHANNELS.filter((channel) => resultsIn(run)[channel] === ACCEPTED);
}

function unreadableIn({ rows }: DoctorRun): string[] {
	return [...rows].filter(([, { verdict }]) => verdict === 'unreadable').map(([heading]) => heading);
}

function wordsIn(run: DoctorRun, list: string): string[] {
	return linesIn(run)
		.filter((one) => one.list === list)
		.map(({ line }) => line.slice(1, -2));
}

type Runs = Readonly<Record<Fate, DoctorRun>>;

async function runAll(start: Case['start'], doctor?: ReturnType<typeof doctorWith>): Promise<Runs> {
	const runs: Array<readonly [Fate, DoctorRun]> = [];
	for (const fate of FATES) {
		await using service = await start();
		runs.push([fate, await runDoctor({ ...service, doctor }, ...optionsFor(fate))]);
		expect(service.sent).toHaveLength(fate === 'sent' ? CHANNELS.length - 1 : 0);
	}
	return Object.fromEntries(runs) as Record<Fate, DoctorRun>;
}

describe.each(Object.entries(CASES))('a service with %s', (_name, { start, ...expected }) => {
	let before: Runs;
	let after: Runs;

	beforeAll(async () => {
		before = await runAll(start);
		const real = (fate: Fate) => (line: Line) => ({
			...line,
			line: line.line.replace(/field_\d+/g, (name) => expected.names[fate]?.[name] ?? name),
		});
		const lines = [
			...linesIn(before.sent).map(real('sent')),
			...linesIn(before.declined)
				.filter(({ list }) => list === 'NO')
				.map(real('declined')),
		];
		after = await runAll(start, doctorWith(lines, temporaryFolder()));
	});

	it('prints the right lines', () => {
		expect(linesIn(before.sent).map(({ file, list, line }) => `${file} ${list}: ${line}`)).toEqual(expected.lines);
	});

	it('prints no failure as a status of an accepted message', () => {
		const { sent: _sent, ...failing } = before;
		expect(Object.values(failing).flatMap((run) => wordsIn(run, 'YES'))).toEqual([]);
		expect(wordsIn(before.declined, 'NO')).toEqual(expected.negative);
	});

	it.each(['declined', 'dropped', 'rejected'] as const)('has no accepted message if all are %s', (fate) => {
		expect([acceptedIn(before[fate]), acceptedIn(after[fate])]).toEqual([[], []]);
	});

	it('has rejected messages if the HTTP status says so', () => {
		const all = Object.fromEntries(CHANNELS.map((channel) => [channel, REJECTED]));
		expect([resultsIn(before.rejected), resultsIn(after.rejected)]).toEqual([all, all]);
	});

	it('accepts more messages with the lines', () => {
		expect([acceptedIn(before.sent), acceptedIn(after.sent)]).toEqual(expected.accepted);
	});

	it('has no line left for a row that stays unreadable', () => {
		expect(linesIn(after.sent)).toEqual([]);
		expect(unreadableIn(after.sent)).toEqual(expected.unreadable);
	});

	it('shows no value of the account', () => {
		for (const { report, shapesText } of [...Object.values(before), ...Object.values(after)]) {
			expect(report + shapesText).not.toMatch(/Kojo|Antwi|Adwoa|Poku|Yaw|Sarpong|20555900|KOFISHOP|4000\d/);
		}
	});

	it('has no wrong code that is valid', async () => {
		await using service = await start();
		const { baseUrl, apiKey } = service;
		const client = createClient({ baseUrl, apiKey, transport: undiciTransport(), retry: { attempts: 1 } });
		await client.call(contract.verification.start, { phone: RECIPIENTS.sent.phone, sender_id: 'KOFISHOP' });
		const check = async (code: string) =>
			await client.call(contract.verification.check, { verification_id: 40_001, code });
		expect(await check('000000')).toMatchObject({ outcome: 'accepted', output: { valid: false } });
		expect(await check(RIGHT_CODE)).toMatchObject({ outcome: 'accepted', output: { verdict: expected.rightCode } });
	});
});
