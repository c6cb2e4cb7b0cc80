import { type IDataObject, type INodeExecutionData, type IPollFunctions, NodeOperationError } from 'n8n-workflow';
import {
	ApiError,
	contract,
	paymentStage,
	signedAmounts,
	topUpStage,
	transactionChoice,
	type Client,
	ServiceError,
	type Outcome,
} from '../../../../shared';
import { credentialClient, TRIGGER_CLIENT } from '../../host/client';
import { toNodeError } from '../../host/errors';
import { failedCall, loggable } from '../failure';
import { balanceItem, isLow, judgeBalance, readLowBalanceState } from './lowBalance';
import {
	fetchTransactions,
	findNewTransactions,
	type ListTransactions,
	type FetchedTransactions,
	type Transaction,
} from './newTransactions';
import { sinceMark } from './recovery';
import { pendingAmong, readTopUpMemory, referenceOf, trackTopUps, type WaitingTopUp } from './topUps';
import { keyOf, readTransactionMemory } from './transactionMemory';
import { readWalletSettings, type WalletSettings } from './walletSettings';

/** Keys in the node's static data. */
const LOW_BALANCE = 'lowBalance';
const TRANSACTIONS = 'transactions';
const TOP_UPS = 'topUps';

/** The result of one part of a poll. The static data changes only after all calls of the part. */
interface Part {
	readonly items: readonly IDataObject[];
	readonly error?: ServiceError;
}

/**
 * Polls the wallet and returns new events. If one part fails, the items of the other are still returned. The failure is
 * thrown only if there are no items.
 * @throws NodeApiError, NodeOperationError with the service's words
 */
export async function pollWallet(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const settings = readWalletSettings(context);
	const made = await credentialClient(context, TRIGGER_CLIENT);
	if (made instanceof ServiceError) throw new NodeOperationError(context.getNode(), failedCall(made).problem);
	const { client } = made;
	if (context.getMode() === 'manual') return toOutput(await sample(context, client, settings));
	const parts = [
		...(settings.triggerOn.some((name) => name !== 'lowBalance') ? [pollTransactions] : []),
		...(settings.threshold ? [pollBalance] : []),
	];
	const items: IDataObject[] = [];
	let failure: ServiceError | undefined;
	for (const poll of parts) {
		const part = await poll(context, client, settings);
		failure ??= part.error;
		for (const item of part.items) items.push(item);
	}
	if (failure && items.length === 0) throw toNodeError(context.getNode(), failure, undefined);
	if (failure) logFailure(context, failure);
	return items.length > 0 ? toOutput(items) : null;
}

function toOutput(items: readonly IDataObject[]): INodeExecutionData[][] {
	return [items.map((json) => ({ json }))];
}

async function pollBalance(context: IPollFunctions, client: Client, { threshold }: WalletSettings): Promise<Part> {
	if (threshold === undefined) return { items: [] };
	const requested = await client.call(contract.wallet.getBalance, {});
	if (requested.outcome !== 'accepted') return { items: [], error: requested.error };
	const { balance, currency } = requested.output;
	const list = listTransactions(client);
	const { mark } = readLowBalanceState(context.getWorkflowStaticData('node')[LOW_BALANCE]) ?? {};
	const since = isLow(balance, threshold) ? await sinceMark(list, mark) : undefined;
	// No await between read and write, because n8n may start another poll while a slow one runs.
	const memory = context.getWorkflowStaticData('node');
	const before = readLowBalanceState(memory[LOW_BALANCE]);
	// Another poll may have moved the mark.
	const { fires, after } = judgeBalance(balance, threshold, before, before?.mark === mark ? since : undefined);
	memory[LOW_BALANCE] = after;
	return { items: fires ? [balanceItem(balance, currency ?? null, threshold)] : [] };
}

async function pollTransactions(context: IPollFunctions, client: Client, settings: WalletSettings): Promise<Part> {
	const memory = context.getWorkflowStaticData('node');
	const onTopUps = settings.triggerOn.includes('topUpCompleted');
	const { waiting } = onTopUps ? readTopUpMemory(memory[TOP_UPS]) : { waiting: [] };
	const requested = await askForPending(context, client, waiting);
	const { error } = requested;
	const list = listTransactions(client);
	const wanted = waiting.filter(({ reference }) => reference === undefined).map(({ key }) => key);
	const fetched = await fetchTransactions(list, readTransactionMemory(memory[TRANSACTIONS]), wanted);
	if (fetched.kind === 'failed') return { items: [], error: fetched.error };
	if (fetched.kind !== 'read') {
		if (fetched.kind === 'too_many') delete memory[TRANSACTIONS];
		return { items: giveUp(context, fetched.kind), error };
	}
	// No await between read and write, because the next poll may have overtaken a slow one.
	const found = findNewTransactions(fetched.read, readTransactionMemory(memory[TRANSACTIONS]), Date.now());
	memory[TRANSACTIONS] = found.memory;
	if (fetched.read.rows.length === 0 && found.memory.keys.length > 0) log(context, EMPTY_LIST);
	if (found.beginning === 'none_known') log(context, BEGINNING);
	const topUps = settle(memory, {
		asked: requested,
		found: found.rows,
		listed: fetched.read.rows,
		begins: found.beginning !== undefined,
	});
	const items = found.rows.flatMap((row) => toItems(row, settings, topUps.known));
	return { items: onTopUps ? [...topUps.items, ...items] : items, error };
}

function listTransactions(client: Client): ListTransactions {
	return async (page) => await client.call(contract.wallet.listTransactions, page);
}

/**
 * Ends a poll that cannot determine the new rows.
 * @throws NodeOperationError if rows are lost or the next poll cannot determine them either
 */
function giveUp(context: IPollFunctions, kind: Exclude<FetchedTransactions['kind'], 'read' | 'failed'>): IDataObject[] {
	if (kind === 'too_many') {
		throw new NodeOperationError(
			context.getNode(),
			'More than 50,000 transactions are new since the last poll, which is too many for one poll',
			{ description: 'These transactions are skipped, and the next poll starts over. Poll more often.' },
		);
	}
	if (kind === 'hidden') {
		throw new NodeOperationError(
			context.getNode(),
			'The service lists the oldest transactions first and shows only one page, so new ones cannot be seen',
			{ description: 'Use Low Balance instead, or ask the service to list the newest transactions first.' },
		);
	}
	log(context, 'the list of transactions changed while it was read, so the next poll reads it again');
	return [];
}

/** The responses and rows about top-ups in one poll. */
interface Settling {
	readonly asked: Pending;
	/** The new rows. */
	readonly found: readonly Transaction[];
	/** All rows that were read. */
	readonly listed: readonly Transaction[];
	/** Whether this poll starts a new memory. */
	readonly begins: boolean;
}

/**
 * Returns each pending top-up once when it is completed. Its own row, its reference or another row with the same
 * reference may show that.
 * @returns the items, and the references of top-ups that were returned before
 */
function settle(memory: IDataObject, { asked, found, listed, begins }: Settling) {
	const before = readTopUpMemory(memory[TOP_UPS]);
	const known = new Set(before.completed);
	const stages = new Map(listed.map((row) => [keyOf(row), { row, stage: topUpStage(row) }]));
	const isNew = new Set(found.map(keyOf));
	const rowsOf = new Set(found.filter((row) => topUpStage(row) === 'completed').map(referenceOf));
	const items: IDataObject[] = [];
	const completed: string[] = [];
	const over = new Set<string>();
	for (const waiting of before.waiting) {
		const { key, reference } = waiting;
		const response = asked.answers.get(key);
		const own = stages.get(key);
		const stage =
			response?.stage === 'completed' || own?.stage === 'completed' ? 'completed' : (response?.stage ?? own?.stage);
		if (stage === 'failed' || stage === 'none') over.add(key);
		if (stage !== 'completed') continue;
		over.add(key);
		const isGiven = reference !== undefined && (known.has(reference) || rowsOf.has(reference));
		if (!isGiven && !isNew.has(key)) {
			items.push({ ...(response?.item ?? own?.row), event: 'wallet.topup_completed' });
		}
		if (reference !== undefined) completed.push(reference);
	}
	const references = found.filter((row) => topUpStage(row) === 'completed').map(referenceOf);
	memory[TOP_UPS] = trackTopUps(before, pendingAmong(begins ? listed : found), ({ key }) => over.has(key), [
		...completed,
		...references.filter((reference) => reference !== undefined),
	]);
	return { items, known };
}

/** The service's responses about pending top-ups, by the keys of their rows. */
interface Pending {
	readonly answers: ReadonlyMap<string, { readonly stage: 'completed' | 'failed'; readonly item: IDataObject }>;
	/** Why the remaining top-ups could not be requested. */
	readonly error?: ServiceError;
}

/**
 * Requests the status of pending top-ups. A top-up that the service no longer knows is dropped. If a request fails for
 * one top-up only, the others continue, and the next poll repeats it.
 */
async function askForPending(
	context: IPollFunctions,
	client: Client,
	waiting: readonly WaitingTopUp[],
): Promise<Pending> {
	const responses = new Map<string, { stage: 'completed' | 'failed'; item: IDataObject }>();
	for (const { key, reference } of waiting) {
		if (reference === undefined) continue;
		const requested = await client.call(contract.wallet.getTopUp, { reference });
		if (requested.outcome !== 'accepted') {
			const { error } = requested;
			if (!(error instanceof ApiError) || isTrouble(error)) return { answers: responses, error };
			if (error.meaning === 'not_found') responses.set(key, { stage: 'failed', item: {} });
			else logFailure(context, error);
			continue;
		}
		const stage = paymentStage(requested.output.status);
		if (stage === 'completed' || stage === 'failed') {
			responses.set(key, { stage, item: { event: 'wallet.topup_completed', ...requested.output, reference } });
		}
	}
	return { answers: responses };
}

/** Whether the next request would fail in the same way, because the cause is not one top-up. */
function isTrouble({ meaning }: ServiceError): boolean {
	return meaning === 'invalid_key' || meaning === 'rate_limited' || meaning === 'server_error';
}

function logFailure(context: IPollFunctions, error: ServiceError): void {
	log(context, loggable(error));
}

function log(context: IPollFunctions, message: string): void {
	context.logger.warn(`Messaging Service Wallet Trigger "${context.getNode().name}": ${message}`, {
		workflowId: context.getWorkflow().id,
	});
}

const EMPTY_LIST = 'the list of transactions is empty, but it was not before. The trigger waits until it is back';
const BEGINNING = 'the list no longer has any of the known transactions, so the trigger starts with those that follow';

/**
 * Makes the items of a transaction, at most one. A completed top-up has its own event if the user chose it.
 * @param known references of top-ups that were returned before
 */
function toItems(
	row: Transaction,
	{ triggerOn, onlyTypes }: WalletSettings,
	known: ReadonlySet<string>,
): IDataObject[] {
	const isGiven = known.has(referenceOf(row) ?? '');
	if (triggerOn.includes('topUpCompleted') && topUpStage(row) === 'completed' && !isGiven) {
		return [{ event: 'wallet.topup_completed', ...row }];
	}
	return triggerOn.includes('newTransaction') && isOfType(row, onlyTypes)
		? [{ event: 'wallet.transaction', ...row }]
		: [];
}

/** Whether a transaction has one of the types, by the service's own word or by its meaning. */
function isOfType(row: Transaction, types: readonly string[]): boolean {
	if (types.length === 0 || types.includes((row.type ?? '').toLowerCase())) return true;
	const [amount] = signedAmounts([row]);
	return types.includes(transactionChoice(row, amount) ?? '');
}

/** Makes the items of a test in the editor: the present state, or an example from the contract. */
async function sample(context: IPollFunctions, client: Client, settings: WalletSettings): Promise<IDataObject[]> {
	const items: IDataObject[] = [];
	const must = <Output>(requested: Outcome<Output>): Output => {
		if (requested.outcome === 'accepted') return requested.output;
		throw toNodeError(context.getNode(), requested.error, undefined);
	};
	if (settings.triggerOn.some((name) => name !== 'lowBalance')) {
		const rows = must(await client.call(contract.wallet.listTransactions, { limit: 100, offset: 0 }));
		for (const name of ['newTransaction', 'topUpCompleted'] as const) {
			if (!settings.triggerOn.includes(name)) continue;
			const only = { ...settings, triggerOn: [name] };
			const [found] = rows.flatMap((row) => toItems(row, only, new Set()));
			items.push(found ?? exampleOf(name));
		}
	}
	if (settings.threshold) {
		const { balance, currency } = must(await client.call(contract.wallet.getBalance, {}));
		items.push(balanceItem(balance, currency ?? null, settings.threshold));
	}
	return items;
}

function exampleOf(name: 'newTransaction' | 'topUpCompleted'): IDataObject {
	const [row] = contract.wallet.listTransactions.example.output as IDataObject[];
	return name === 'newTransaction'
		? { event: 'wallet.transaction', sample: true, ...row }
		: { event: 'wallet.topup_completed', sample: true, ...row, type: 'topup', amount: 50 };
}
