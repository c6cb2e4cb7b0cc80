import type { IExecuteFunctions } from 'n8n-workflow';
import { z } from 'zod/v4';
import { balanceShortage, balanceUnread, contract, countSegments, InputError, ServiceError } from '../../../shared';
import { addHint } from '../host/olderN8n';
import { isOptionSet, numberOption, optionValue, readOrError } from '../host/parameters';
import type { Run } from './operation';

/** A message that is about to be sent, and its number of recipients. */
export interface PlannedSend {
	readonly text: string;
	readonly recipients: number;
}

/** Totals of the messages that a node sent in an execution, or is about to send. */
interface Spent {
	readonly recipients: number;
	/** In millionths of the wallet currency, so that sums stay exact. */
	readonly cost: number;
}

const MILLION = 1_000_000;
const NOTHING_SPENT: Spent = { recipients: 0, cost: 0 };

/**
 * The totals that n8n stores with the execution. They survive a wait of days, a restart and a move to another worker.
 */
const kept = z.object({ execution: z.string(), recipients: z.number(), cost: z.number() });
const KEPT = 'sent';

/**
 * The price that the user set for one unit, such as a segment or a call, in currency units.
 * @returns undefined if there is none, or if it cannot be read, which {@link checkGuards} reports
 */
export function priceOfUnit(run: Run): number | undefined {
	const price = readOrError(() => readPrice(run));
	return price instanceof InputError ? undefined : price || undefined;
}

/** Messages that passed the guards. */
export interface Guards {
	/**
	 * Subtracts messages from the totals.
	 * @param unsent messages that were certainly not accepted
	 */
	giveBack(unsent: readonly PlannedSend[]): void;
}

/**
 * Checks messages against the guards that the user set: Maximum Recipients, Maximum Spend and Check Balance. The first
 * two count over the whole execution, so that they hold for loops and agents too.
 * @returns the messages that passed, or an error if none may be sent
 */
export async function checkGuards(run: Run, intended: readonly PlannedSend[]): Promise<Guards | InputError> {
	const { context } = run;
	const limits = readOrError(() => readLimits(run));
	if (limits instanceof InputError) return limits;
	const { maxRecipients, maxSpend, price, checkBalance } = limits;
	const counts = maxRecipients !== undefined || maxSpend !== undefined;
	if (intended.length === 0 || (!counts && !checkBalance)) return { giveBack: ignore };
	if (counts && !canCount(context)) return notCounted(maxRecipients === undefined ? 'maxSpend' : 'maxRecipients');

	const before = counts ? spentBy(run) : NOTHING_SPENT;
	const wanted = sumOf(intended, price);
	const rejection =
		exceeds('maxRecipients', maxRecipients, before.recipients, wanted.recipients, countOf) ??
		exceeds('maxSpend', maxSpend, before.cost / MILLION, wanted.cost / MILLION, costOf);
	if (rejection) return rejection;
	const add = (spent: Spent, sign: 1 | -1) => {
		if (counts) count(run, spent, sign);
	};
	// Counted before the first await, because an agent's calls run in parallel.
	add(wanted, 1);
	const short = checkBalance ? await balanceShort(run, wanted.cost / MILLION) : undefined;
	if (short !== undefined && checkBalance === 'stop') {
		add(wanted, -1);
		return new InputError('node', [{ field: 'checkBalance', message: `stopped the run. ${short}` }]);
	}
	if (short !== undefined) addHint(context, 'warning', short);
	return {
		giveBack: (unsent) => {
			add(sumOf(unsent, price), -1);
		},
	};
}

function countOf(recipients: number): string {
	return `has ${recipients === 1 ? '1 recipient' : `${recipients} recipients`}`;
}

function costOf(amount: number): string {
	return `is estimated to cost ${amount} in wallet currency`;
}

function ignore(): void {
	// Without a guard, nothing is counted.
}

/** The guards as the user set them. A limit that is not set is undefined. */
interface Limits {
	readonly maxRecipients: number | undefined;
	/** In wallet currency. */
	readonly maxSpend: number | undefined;
	/** Price of one unit, such as a segment or a call, in wallet currency; 0 if no guard needs it. */
	readonly price: number;
	readonly checkBalance: 'stop' | 'warn' | undefined;
}

/** Reads the guards. A guard that is set but cannot be read is an error, because ignoring it would remove the limit. */
function readLimits(run: Run): Limits | InputError {
	const { context } = run;
	const maxRecipients = numberOption(context, 'maxRecipients', 0, ABOVE_ZERO);
	if (maxRecipients instanceof InputError) return maxRecipients;
	const maxSpend = numberOption(context, 'maxSpend', 0, ABOVE_ZERO);
	if (maxSpend instanceof InputError) return maxSpend;
	const checkBalance = readCheckBalance(context);
	if (checkBalance instanceof InputError) return checkBalance;
	const price = readPrice(run);
	if (price instanceof InputError) return price;
	if (!price && (maxSpend || checkBalance)) {
		const message = `is needed for Maximum Spend and Check Balance: enter ${PRICE_EXPECTED}`;
		return new InputError('node', [{ field: priceFieldOf(run), message }]);
	}
	return {
		maxRecipients,
		maxSpend,
		price: price ?? 0,
		checkBalance,
	};
}

function readPrice(run: Run): number | undefined | InputError {
	return numberOption(run.context, priceFieldOf(run), 0, { min: 0, expected: PRICE_EXPECTED });
}

function priceFieldOf({ labels }: Run): string {
	return Object.keys(labels).find((name) => name.startsWith('pricePer')) ?? 'pricePerSegment';
}

/** A limit of 0 is rejected: it could mean nothing, or no limit. */
const ABOVE_ZERO = { above: 0, expected: 'a number above 0' };
const PRICE_EXPECTED = 'the price that your account pays, e.g. 0.05';

function readCheckBalance(context: IExecuteFunctions): Limits['checkBalance'] | InputError {
	if (!isOptionSet(context, 'checkBalance')) return undefined;
	const value = optionValue(context, 'checkBalance', 0);
	if (value === 'stop' || value === 'warn') return value;
	return new InputError('node', [
		{
			field: 'checkBalance',
			message: 'is neither Stop if Too Low (stop) nor Warn if Too Low (warn): choose one, or remove it',
		},
	]);
}

/** Whether n8n can store totals for this call. A call through its MCP Server Trigger has no execution. */
function canCount(context: IExecuteFunctions): boolean {
	if (!context.getExecutionId()) return false;
	try {
		context.getContext('node');
		return true;
	} catch {
		return false;
	}
}

function notCounted(field: 'maxRecipients' | 'maxSpend'): InputError {
	const message =
		'cannot be counted for a call without an execution, such as one through the MCP Server Trigger. Remove the option, or call a workflow that has the limit';
	return new InputError('node', [{ field, message }]);
}

function spentBy({ context, dryRun }: Run): Spent {
	if (dryRun?.counted) return dryRun.counted;
	const { data } = kept.safeParse(context.getContext('node')[KEPT]);
	// An execution that is retried by hand starts with the data of the first one.
	return data && data.execution === context.getExecutionId() ? data : NOTHING_SPENT;
}

function sumOf(intended: readonly PlannedSend[], perSegment: number): Spent {
	const sum = { recipients: 0, cost: 0 };
	const segments = new Map<string, number>();
	for (const { text, recipients } of intended) {
		const each = segments.get(text) ?? countSegments(text).segment_count;
		segments.set(text, each);
		sum.recipients += recipients;
		sum.cost += recipients * each * Math.round(perSegment * MILLION);
	}
	return sum;
}

function count(run: Run, { recipients, cost }: Spent, sign: 1 | -1): void {
	const { context, dryRun } = run;
	const before = spentBy(run);
	const after = { recipients: before.recipients + sign * recipients, cost: before.cost + sign * cost };
	if (dryRun) dryRun.counted = after;
	else context.getContext('node')[KEPT] = { execution: context.getExecutionId(), ...after };
}

function exceeds(
	field: string,
	maximum: number | undefined,
	before: number,
	wanted: number,
	sentence: (amount: number) => string,
): InputError | undefined {
	if (maximum === undefined || before + wanted <= maximum) return undefined;
	const earlier = before > 0 ? `, after ${before} earlier in this execution` : '';
	const message = `is ${maximum}, but this run ${sentence(wanted)}${earlier}. Raise it, or use fewer items or recipients`;
	return new InputError('node', [{ field, message }]);
}

/** Explains that the balance is too low or could not be read. Undefined if it is enough. */
async function balanceShort({ client, dryRun }: Run, needed: number): Promise<string | undefined> {
	if (client instanceof ServiceError) return balanceUnread(client);
	const response = await (dryRun ? dryRun.balance() : client.call(contract.wallet.getBalance, {}));
	return response.outcome === 'accepted' ? balanceShortage(response.output, needed) : balanceUnread(response.error);
}
