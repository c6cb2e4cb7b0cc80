import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod/v4';
import { contract, countSegments, InputError } from '../../../shared';
import { readable, runOptions } from './parameters';
import type { Run } from './operation';

/** A text that is about to go to so many. */
export interface Intended {
	readonly text: string;
	readonly recipients: number;
}

/** What a node sent in an execution, or is about to. */
interface Spent {
	readonly recipients: number;
	/** In millionths of the wallet currency, so that sums are exact. */
	readonly cost: number;
}

const NAMES = ['checkBalance', 'maxRecipients', 'maxSpend', 'pricePerSegment'];

const MILLION = 1_000_000;

/** What n8n keeps with the execution: it outlasts a wait of days, a restart and the move to another worker. */
const kept = z.object({ execution: z.string(), recipients: z.number(), cost: z.number() });
const KEPT = 'sent';

/** What the guards let through; given back where it was not sent after all. */
export interface Guards {
	/** @param unsent what of the admitted was certainly not accepted */
	giveBack(unsent: readonly Intended[]): void;
}

/**
 * Checks what is about to be sent against the guards that the user set: Maximum Recipients and Maximum Spend, counted
 * over the whole execution, so that they hold for loops and agents too; and the balance of the wallet.
 * @returns what was let through, or why nothing of it is sent
 */
export async function checkGuards(run: Run, intended: readonly Intended[]): Promise<Guards | InputError> {
	const { context } = run;
	const options = readable(() => runOptions(context, NAMES), run.stops);
	if (options instanceof InputError) return options;
	const { checkBalance } = options;
	const maxRecipients = readLimit('maxRecipients', options);
	if (maxRecipients instanceof InputError) return maxRecipients;
	const maxSpend = readLimit('maxSpend', options);
	if (maxSpend instanceof InputError) return maxSpend;
	if (intended.length === 0 || (maxRecipients === undefined && maxSpend === undefined && !checkBalance))
		return { giveBack: ignore };
	const priced = maxSpend !== undefined || Boolean(checkBalance);
	const price = priced ? readPrice(options) : 0;
	if (price instanceof InputError) return price;

	const before = spentBy(run);
	const wanted = sumOf(intended, price);
	const refusal =
		exceeds('maxRecipients', maxRecipients, before.recipients, wanted.recipients, 'recipients') ??
		exceeds('maxSpend', maxSpend, before.cost / MILLION, wanted.cost / MILLION, 'in wallet currency, as estimated');
	if (refusal) return refusal;
	// Counted before anything is waited for: calls of an agent come at the same time.
	add(run, wanted, 1);
	const short = checkBalance ? await balanceShort(run, wanted.cost / MILLION) : undefined;
	if (short !== undefined && checkBalance === 'stop') {
		add(run, wanted, -1);
		return new InputError('node', [{ field: 'checkBalance', message: `stopped the run. ${short}` }]);
	}
	if (short !== undefined) context.addExecutionHints({ message: short, type: 'warning', location: 'outputPane' });
	return {
		giveBack: (unsent) => {
			add(run, sumOf(unsent, price), -1);
		},
	};
}

function ignore(): void {
	// Nothing is counted where no guard is set.
}

/** A limit that cannot be read must not be none. */
function readLimit(field: 'maxRecipients' | 'maxSpend', options: IDataObject): number | undefined | InputError {
	if (!(field in options)) return undefined;
	const value = options[field];
	if (value === undefined || value === null || String(value).trim() === '') {
		return new InputError('node', [{ field, message: 'is empty: give the most, or 0 for no limit' }]);
	}
	const most = Number(value);
	if (most === 0) return undefined;
	if (most > 0) return most;
	return new InputError('node', [{ field, message: 'is not a number: give the most, with digits, or 0 for no limit' }]);
}

function isNothing(value: unknown): boolean {
	return value === undefined || value === null || value === '' || Number(value) === 0;
}

function readPrice(options: IDataObject): number | InputError {
	const price = Number(options.pricePerSegment);
	if (price > 0) return price;
	const message = isNothing(options.pricePerSegment)
		? 'is needed for Maximum Spend and Check Balance: give what your account pays for one SMS, e.g. 0.05'
		: 'is not an amount: write it with digits and a point, e.g. 0.05';
	return new InputError('node', [{ field: 'pricePerSegment', message }]);
}

function spentBy({ context }: Run): Spent {
	const { data } = kept.safeParse(context.getContext('node')[KEPT]);
	// An execution that is retried by hand begins with the data of the first.
	return data && data.execution === context.getExecutionId() ? data : { recipients: 0, cost: 0 };
}

function sumOf(intended: readonly Intended[], perSegment: number): Spent {
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

function add(run: Run, { recipients, cost }: Spent, sign: 1 | -1): void {
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
	const answer = await client.call(contract.wallet.getBalance, {});
	if (answer.outcome !== 'accepted') return `The balance of the wallet could not be read: ${answer.error.message}`;
	const { balance, currency } = answer.output;
	if (balance >= needed) return undefined;
	const unit = currency ? ` ${currency}` : '';
	return `The wallet holds ${balance}${unit}, and sending is estimated to cost ${needed}${unit}. Package credits, which are used first, are not in it.`;
}
