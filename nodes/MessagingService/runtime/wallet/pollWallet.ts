import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import {
	ApiError,
	contract,
	paymentStage,
	topUpStage,
	type Client,
	type Outcome,
	type ServiceError,
} from '../../../../shared';
import { toNodeError } from '../errors';
import { loggable, triggerClient } from '../triggerClient';
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

/** Names in n8n's static data of the node. */
const LOW_BALANCE = 'lowBalance';
const TRANSACTIONS = 'transactions';
const TOP_UPS = 'topUps';

/** What one part of a poll brought; what is remembered changes only in `items`, when all its calls have been made. */
interface Part {
	readonly items: readonly IDataObject[];
	readonly error?: ServiceError;
}

/**
 * Looks at the wallet and gives what is new, as n8n polls. What one part of it found is not lost where another fails:
 * the failure is thrown only where there is nothing to give.
 * @throws NodeApiError or NodeOperationError in the service's words
 */
export async function pollWallet(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const settings = readWalletSettings(context);
	const made = await triggerClient(context);
	if ('problem' in made) throw new NodeOperationError(context.getNode(), made.problem);
	const client = made.result;
	if (context.getMode() === 'manual') return toOutput(await sample(context, client, settings));
	const parts = [
		...(settings.triggerOn.some((name) => name !== 'lowBalance') ? [pollTransactions] : []),
		...(settings.limit ? [pollBalance] : []),
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

async function pollBalance(context: IPollFunctions, client: Client, { limit }: WalletSettings): Promise<Part> {
	if (limit === undefined) return { items: [] };
	const requested = await client.call(contract.wallet.getBalance, {});
	if (requested.outcome !== 'accepted') return { items: [], error: requested.error };
	const { balance, currency } = requested.output;
	const list = listTransactions(client);
	const { mark } = readLowBalanceState(context.getWorkflowStaticData('node')[LOW_BALANCE]) ?? {};
	const since = isLow(balance, limit) ? await sinceMark(list, mark) : undefined;
	// Read and changed without a pause in between: n8n may poll anew while a slow poll is under way.
	const memory = context.getWorkflowStaticData('node');
	const before = readLowBalanceState(memory[LOW_BALANCE]);
	// Another poll may have moved the mark meanwhile.
	const { fires, after } = judgeBalance(balance, limit, before, before?.mark === mark ? since : undefined);
	memory[LOW_BALANCE] = after;
	return { items: fires ? [balanceItem(balance, currency ?? null, limit)] : [] };
}

async function pollTransactions(context: IPollFunctions, client: Client, settings: WalletSettings): Promise<Part> {
	const memory = context.getWorkflowStaticData('node');
	const onTopUps = settings.triggerOn.includes('topUpCompleted');
	const { waiting } = onTopUps ? readTopUpMemory(memory[TOP_UPS]) : { waiting: [] };
	const requested = await askForPending(context, client, waiting);
	const { error } = requested;
	const list = listTransactions(client);
	const wanted = waiting.filter(({ reference }) => reference === undefined).map(({ key }) => key);
	const look = await fetchTransactions(list, readTransactionMemory(memory[TRANSACTIONS]), wanted);
	if (look.kind === 'failed') return { items: [], error: look.error };
	if (look.kind !== 'read') {
		if (look.kind === 'too_many') delete memory[TRANSACTIONS];
		return { items: giveUp(context, look.kind), error };
	}
	// Read and changed without a pause in between: a slow poll may have been overtaken by the next one.
	const news = findNewTransactions(look.read, readTransactionMemory(memory[TRANSACTIONS]), Date.now());
	memory[TRANSACTIONS] = news.memory;
	if (look.read.rows.length === 0 && news.memory.keys.length > 0) log(context, EMPTY_LIST);
	if (news.beginning === 'none_known') log(context, BEGINNING);
	const topUps = settle(memory, {
		asked: requested,
		news: news.rows,
		listed: look.read.rows,
		begins: news.beginning !== undefined,
	});
	const items = news.rows.flatMap((row) => toItems(row, settings, topUps.known));
	return { items: onTopUps ? [...topUps.items, ...items] : items, error };
}

function listTransactions(client: Client): ListTransactions {
	return async (page) => await client.call(contract.wallet.listTransactions, page);
}

/** A poll that cannot tell what is new. @throws NodeOperationError if the next one cannot tell either */
function giveUp(context: IPollFunctions, kind: Exclude<FetchedTransactions['kind'], 'read' | 'failed'>): IDataObject[] {
	if (kind === 'too_many') {
		throw new NodeOperationError(
			context.getNode(),
			'There are more than 50,000 transactions since the last poll: they cannot be read in one go',
			{ description: 'Those are left out, and the next poll begins anew. Poll more often.' },
		);
	}
	if (kind === 'hidden') {
		throw new NodeOperationError(
			context.getNode(),
			'The service lists the oldest transactions first and shows one page only: new ones cannot be seen',
			{ description: 'Use Low Balance instead, or ask the service to list the newest transactions first.' },
		);
	}
	log(context, 'the list of transactions changed while it was read, so the next poll reads it again');
	return [];
}

/** What the answers and the list say about top-ups in one poll. */
interface Settling {
	readonly asked: Pending;
	/** The new rows. */
	readonly news: readonly Transaction[];
	/** All rows that were read. */
	readonly listed: readonly Transaction[];
	/** Whether the rows that were read are the first that count. */
	readonly begins: boolean;
}

/**
 * Gives each top-up that was pending and completed, once, whether its own row says so, its reference does, or another row
 * with the same reference.
 * @returns the items, and the references of top-ups that were given before
 */
function settle(memory: IDataObject, { asked, news, listed, begins }: Settling) {
	const before = readTopUpMemory(memory[TOP_UPS]);
	const known = new Set(before.completed);
	const stages = new Map(listed.map((row) => [keyOf(row), { row, stage: topUpStage(row) }]));
	const isNew = new Set(news.map(keyOf));
	const rowsOf = new Set(news.filter((row) => topUpStage(row) === 'completed').map(referenceOf));
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
	const references = news.filter((row) => topUpStage(row) === 'completed').map(referenceOf);
	memory[TOP_UPS] = trackTopUps(before, pendingAmong(begins ? listed : news), ({ key }) => over.has(key), [
		...completed,
		...references.filter((reference) => reference !== undefined),
	]);
	return { items, known };
}

/** What the service says about the top-ups that were pending, by the keys of their rows. */
interface Pending {
	readonly answers: ReadonlyMap<string, { readonly stage: 'completed' | 'failed'; readonly item: IDataObject }>;
	/** Why the others could not be asked for. */
	readonly error?: ServiceError;
}

/**
 * Asks for the top-ups that were pending. One that is not known any more is given up; one that the service says nothing
 * of must not hold up the others, and is asked for again with the next poll.
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

/** Whether it is no matter of one top-up: the next would fail in the same way. */
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

const EMPTY_LIST =
	'the list of transactions is empty, though it was not before, so the trigger waits for it to come back';
const BEGINNING =
	'none of the known transactions is in the list any more, so the trigger begins with those that follow';

/**
 * Each transaction makes one item at most: a completed top-up is given as that if it is chosen.
 * @param known references of top-ups that were given before
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
	const wanted = onlyTypes.length === 0 || onlyTypes.includes((row.type ?? '').toLowerCase());
	return triggerOn.includes('newTransaction') && wanted ? [{ event: 'wallet.transaction', ...row }] : [];
}

/** What somebody sees who tries the trigger in the editor: how things stand now, else the interface's example. */
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
	if (settings.limit) {
		const { balance, currency } = must(await client.call(contract.wallet.getBalance, {}));
		items.push(balanceItem(balance, currency ?? null, settings.limit));
	}
	return items;
}

function exampleOf(name: 'newTransaction' | 'topUpCompleted'): IDataObject {
	const [row] = contract.wallet.listTransactions.example.output as IDataObject[];
	return name === 'newTransaction'
		? { event: 'wallet.transaction', sample: true, ...row }
		: { event: 'wallet.topup_completed', sample: true, ...row, type: 'topup', amount: 50 };
}
