import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { contractLists, errorLists, negativeWords, positiveWords } from '../../doctor/contractLists';
import { examine } from '../../doctor/examine';
import { createNameMask } from '../../doctor/publicNames';
import { sendingRows } from '../../doctor/rows/sending';
import type { Facts } from '../../doctor/rows/row';
import { contract } from '../../shared';
import { doctorWith, linesIn, startOf } from '../support/missingLines';
import { runDoctor, type DoctorRun } from '../support/runDoctor';
import { secondService } from '../support/secondService';
import { temporaryFolder } from '../support/temporaryFolder';

const ROOT = join(__dirname, '../..');

/** The names of the second service, and names that no list of the contract has. */
const NAMES: Readonly<Record<string, string>> = {
	id: 'reference_no',
	reference: 'reference_no',
	uuid: 'serial_no',
	contact_id: 'reference_no',
	state: 'state_text',
	status: 'state_text',
	price: 'debit',
	cost: 'debit',
	lookup_cost: 'debit',
	available_balance: 'credit_left',
	balance_after: 'credit_left',
	currency_code: 'unit',
	msisdn: 'handset_number',
	first_name: 'label',
	kind: 'direction',
	value: 'sum',
	date: 'on_date',
	is_valid: 'is_active',
	network: 'provider_name',
	country_code: 'region',
};

/** Gives the fields of a body other names, and a status another word. A `message` that is a text is one of an error. */
function renamed(body: unknown): unknown {
	if (Array.isArray(body)) return body.map(renamed);
	if (typeof body !== 'object' || body === null) return body;
	return Object.fromEntries(
		Object.entries(body)
			.filter(([key]) => key !== 'last_name')
			.map(([key, value]: [string, unknown]) => {
				if (key === 'message' && typeof value === 'string') return ['reason_text', value];
				return [Object.hasOwn(NAMES, key) ? NAMES[key] : key, value === 'ACCEPTED' ? 'ACCEPTD' : renamed(value)];
			}),
	);
}

const PAID = [
	...['--send-to', '+233201234567', '--send-to-email', 'efua@mail.example', '--sender', 'KOFISHOP'],
	...['--channels', 'sms,bulk,verification,lookup', '--max-spend', '1'],
	...['--prices', 'sms=0.05,bulk=0.05,verification=0.05,lookup=0.05'],
];

describe('a run against a service with unknown names', () => {
	let run: DoctorRun;
	beforeAll(async () => {
		await using service = await secondService(renamed);
		run = await runDoctor(service, ...PAID);
	});

	it('prints each line once, with its file and list', () => {
		expect(linesIn(run).map(({ file, list, line }) => `${file} ${list}: ${line}`)).toEqual([
			"shared/contract/charges.ts balanceNames: 'credit_left',",
			"shared/contract/wallet.ts balanceAliases.currency: 'unit',",
			"shared/contract/contact.ts contactAliases.id: 'reference_no',",
			"shared/contract/contact.ts contactAliases.phone: 'handset_number',",
			"shared/contract/contact.ts contactAliases.name: 'label',",
			"shared/contract/wallet.ts transactionAliases.id: 'serial_no',",
			"shared/contract/wallet.ts transactionAliases.type: 'direction',",
			"shared/contract/wallet.ts transactionAliases.amount: 'sum',",
			"shared/contract/wallet.ts transactionAliases.balance: 'credit_left',",
			"shared/contract/wallet.ts transactionAliases.created_at: 'on_date',",
			"shared/contract/messageStatus.ts messageIdAliases: 'reference_no',",
			"shared/contract/messageStatus.ts messageAliases.status: 'state_text',",
			"shared/contract/charges.ts chargeAliases.cost: 'debit',",
			"shared/contract/words.ts YES: 'acceptd',",
			"shared/contract/sms.ts batchIdAliases: 'batch.reference_no',",
			"shared/contract/sms.ts bulkResultAliases.message_id: 'reference_no',",
			"shared/contract/sms.ts bulkResultAliases.to: 'handset_number',",
			"shared/contract/sms.ts bulkResultAliases.status: 'state_text',",
			"shared/contract/verification.ts verificationIdAliases: 'verification.reference_no',",
			"shared/contract/lookup.ts lookupAliases.valid: 'is_active',",
			"shared/contract/lookup.ts lookupAliases.carrier: 'provider_name',",
			"shared/contract/lookup.ts lookupAliases.country: 'region',",
			"shared/contract/lookup.ts lookupAliases.cost: 'debit',",
			"shared/client/errorBody.ts MESSAGE_PLACES: 'reason_text',",
		]);
	});

	it('reads as much as from the service with known names, once they are added', async () => {
		const folder = temporaryFolder();
		const doctor = doctorWith(linesIn(run), folder);
		await using service = await secondService(renamed);
		await using known = await secondService();
		const [after, expected] = [await runDoctor({ ...service, doctor }, ...PAID), await runDoctor(known, ...PAID)];
		const verdicts = ({ rows }: DoctorRun) => [...rows].map(([heading, { verdict }]) => `${heading}: ${verdict}`);
		expect(verdicts(run)).not.toEqual(verdicts(expected));
		expect(verdicts(after)).toEqual(verdicts(expected));
		expect(linesIn(after)).toEqual([]);
	});

	it('has no such section if the client reads all fields', async () => {
		await using service = await secondService();
		const { report } = await runDoctor(service);
		expect(report).toContain('## Rows');
		expect(report).not.toContain('## Lines to add');
	});
});

/** Runs against a service with another body of GET /balance. */
async function linesForBalance(balance: unknown): Promise<string[]> {
	await using service = await secondService((body) =>
		JSON.stringify(body).includes('available_balance') ? balance : body,
	);
	const run = await runDoctor(service);
	expect(run.report).toContain('## Rows');
	return linesIn(run).map(({ line }) => line);
}

describe('the lines for a balance', () => {
	it.each([
		['a name in another object', { ok: true, money: { credit: { value: 5 } } }, ["'credit.value',"]],
		['two names that could be it', { credit_left: 5, remaining_funds: 4 }, ["'credit_left',", "'remaining_funds',"]],
		['a name that could be private', { KOFISHOP_credit_left: 5 }, ["'field_1',"]],
		['no amount', { credit_left: 'some' }, []],
		['a threshold', { low_credit_threshold: 5 }, []],
	])('with %s', async (_name, body, expected) => {
		expect(await linesForBalance(body)).toEqual(expected);
	});
});

describe('the lists of the contract', () => {
	const all = [
		...[...Object.values(contractLists), errorLists].flatMap((lists) => Object.values(lists)),
		...[positiveWords, negativeWords],
	];
	const names = new Set(all.map(({ file, list }) => `${file} ${list}`));

	it.each([...names].map((name) => name.split(' ') as [string, string]))('%s has %s', (file, list) => {
		expect(readFileSync(join(ROOT, file), 'utf8')).toMatch(startOf(list));
	});
});

describe('the row of message statuses', () => {
	it.each([
		['IN_PROCESS', "Add `'inprocess',` to its stage in `shared/contract/messageProgress.ts`."],
		['Kwabena', 'Add the word to its stage in `shared/contract/messageProgress.ts`.'],
		['DELIVRD', undefined],
	])('says where to add the status %s', async (status, next) => {
		const output = { message_id: 'm-0007', status };
		const response = { status: 200, headers: {}, body: JSON.stringify(output) };
		const outcome = { outcome: 'accepted', output } as const;
		const exchange = { endpoint: contract.message.get, input: { id: 'm-0007' }, response, outcome };
		const statuses = [await examine(exchange, createNameMask())];
		const paid = { channels: [{ channel: 'sms', result: 'accepted', statuses }] };
		const { 'Message statuses': row } = sendingRows;
		expect(row({ paid } as unknown as Facts).next).toBe(next);
	});
});
