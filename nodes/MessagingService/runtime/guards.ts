import type { IExecuteFunctions } from 'n8n-workflow';
import { z } from 'zod/v4';
import { contract, countSegments, InputError, ServiceError } from '../../../shared';
import { isOptionSet, numberOption, optionValue, readOrError } from './parameters';
import type { Run } from './operation';

/** A text that is about to go to so many. */
export interface PlannedSend {
	readonly text: string;
	readonly recipients: number;
}

/** What a node sent in an execution, or is about to. */
interface Spent {
	readonly recipients: number;
	/** In millionths of the wallet currency, so that sums are exact. */
	readonly cost: number;
}

const MILLION = 1_000_000;
const NOTHING_SPENT: Spent = { recipients: 0, cost: 0 };

/** What n8n keeps with the execution: it outlasts a wait of days, a restart and the move to another worker. */
const kept = z.object({ execution: z.string(), recipients: z.number(), cost: z.number() });
const KEPT = 'sent';

/** What the guards let through; given back where it was not sent after all. */
export interface Guards {
	/** @param unsent what of the admitted was certainly not accepted */
	giveBack(unsent: readonly PlannedSend[]): void;
}

/**
 * Checks what is about to be sent against the guards that the user set: Maximum Recipients and Maximum Spend, counted
 * over the whole execution, so that they hold for loops and agents too; and the balance of the wallet.
 * @returns what was let through, or why nothing of it is sent
 */
export async function checkGuards(run: Run, intended: readonly PlannedSend[]): Promise<Guards | InputError> {
	const { context } = run;
	const limits = readOrError(() => readLimits(context));
	if (limits instanceof InputError) return limits;
	const { maxRecipients, maxSpend, price, checkBalance } = limits;
	const counts = maxRecipients !== undefined || maxSpend !== undefined;
	if (intended.length === 0 || (!counts && !checkBalance)) return { giveBack: ignore };
	if (counts && !canCount(context)) return notCounted(maxRecipients === undefined ? 'maxSpend' : 'maxRecipients');

	const before = counts ? spentBy(run) : NOTHING_SPENT;
	const wanted = sumOf(intended, price);
	const rejection =
		exceeds('maxRecipients', maxRecipients, before.recipients, wanted.recipients, 'recipients') ??
		exceeds('maxSpend', maxSpend, before.cost / MILLION, wanted.cost / MILLION, 'in wallet currency, as estimated');
	if (rejection) return rejection;
	const add = (spent: Spent, sign: 1 | -1) => {
		if (counts) count(run, spent, sign);
	};
	// Counted before anything is waited for: calls of an agent come at the same time.
	add(wanted, 1);
	const short = checkBalance ? await balanceShort(run, wanted.cost / MILLION) : undefined;
	if (short !== undefined && checkBalance === 'stop') {
		add(wanted, -1);
		return new InputError('node', [{ field: 'checkBalance', message: `stopped the run. ${short}` }]);
	}
	if (short !== undefined) context.addExecutionHints({ message: short, type: 'warning', location: 'outputPane' });
	return {
		giveBack: (unsent) => {
			add(sumOf(unsent, price), -1);
		},
	};
}

function ignore(): void {
	// Nothing is counted where no guard is set.
}

/** The guards as they are set; a limit is undefined if there is none. */
interface Limits {
	readonly maxRecipients: number | undefined;
	/** In wallet currency. */
	readonly maxSpend: number | undefined;
	/** Price of a segment, call or lookup in wallet currency; 0 if no guard needs it. */
	readonly price: number;
	readonly checkBalance: 'stop' | 'warn' | undefined;
}

/** Reads the guards. One that is set and cannot be read is an error: it must not be no guard. */
function readLimits(context: IExecuteFunctions): Limits | InputError {
	const maxRecipients = numberOption(context, 'maxRecipients', 0, { min: 0, words: LIMIT_WORDS });
	if (maxRecipients instanceof InputError) return maxRecipients;
	const maxSpend = numberOption(context, 'maxSpend', 0, { min: 0, words: LIMIT_WORDS });
	if (maxSpend instanceof InputError) return maxSpend;
	const checkBalance = readCheckBalance(context);
	if (checkBalance instanceof InputError) return checkBalance;
	const priceField = PRICE_FIELDS[String(context.getNodeParameter('resource', 0))] ?? 'pricePerSegment';
	const price = numberOption(context, priceField, 0, { min: 0, words: PRICE_WORDS });
	if (price instanceof InputError) return price;
	if (!price && (maxSpend || checkBalance)) {
		const message = `is needed for Maximum Spend and Check Balance: give ${PRICE_WORDS}`;
		return new InputError('node', [{ field: priceField, message }]);
	}
	return {
		maxRecipients: maxRecipients || undefined,
		maxSpend: maxSpend || undefined,
		price: price ?? 0,
		checkBalance,
	};
}

/** The option with the price of one, by resource; for an SMS it is the price of a segment. */
const PRICE_FIELDS: Readonly<Record<string, string>> = { phoneNumber: 'pricePerLookup', voice: 'pricePerCall' };

const LIMIT_WORDS = 'the most, with digits, or 0 for no limit';
const PRICE_WORDS = 'what your account pays for one, e.g. 0.05';

function readCheckBalance(context: IExecuteFunctions): Limits['checkBalance'] | InputError {
	if (!isOptionSet(context, 'checkBalance')) return undefined;
	const value = optionValue(context, 'checkBalance', 0);
	if (value === 'stop' || value === 'warn') return value;
	return new InputError('node', [
		{ field: 'checkBalance', message: 'is neither stop nor warn: give one of them, or remove the option' },
	]);
}

/** Whether n8n keeps anything with the execution; it has none for a call through its MCP Server Trigger. */
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
		'cannot be counted here, because this call belongs to no execution, as calls through the MCP Server Trigger do: remove the option, or call a workflow that has the limit';
	return new InputError('node', [{ field, message }]);
}

function spentBy({ context }: Run): Spent {
	const { data } = kept.safeParse(context.getContext('node')[KEPT]);
	// An execution that is retried by hand begins with the data of the first.
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
	const { context } = run;
	const before = spentBy(run);
	context.getContext('node')[KEPT] = {
		execution: context.getExecutionId(),
		recipients: before.recipients + sign * recipients,
		cost: before.cost + sign * cost,
	};
}

function exceeds(
	field: string,
	most: number | undefined,
	before: number,
	wanted: number,
	what: string,
): InputError | undefined {
	if (most === undefined || before + wanted <= most) return undefined;
	const earlier = before > 0 ? `, after ${before} before in this execution` : '';
	const message = `is ${most}, and this run comes to ${wanted} ${what}${earlier}: raise it, or send to fewer`;
	return new InputError('node', [{ field, message }]);
}

/** Says in a sentence that the wallet holds less than is needed, or that nobody knows; undefined where it holds enough. */
async function balanceShort({ client }: Run, needed: number): Promise<string | undefined> {
	if (client instanceof ServiceError) return `The balance of the wallet could not be read: ${client.message}`;
	const response = await client.call(contract.wallet.getBalance, {});
	if (response.outcome !== 'accepted') return `The balance of the wallet could not be read: ${response.error.message}`;
	const { balance, currency } = response.output;
	if (balance >= needed) return undefined;
	const unit = currency ? ` ${currency}` : '';
	return `The wallet holds ${balance}${unit}, and sending is estimated to cost ${needed}${unit}. Package credits, which are used first, are not in it.`;
}
