import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { ApiError, contract, type Client, type Outcome, type ServiceError } from '../../../../shared';
import { toNodeError } from '../errors';
import { loggable, triggerClient } from '../triggerClient';
import { balanceItem, judgeBalance, readLowBalanceState } from './lowBalance';
import { keyOf, lookForNew, readTransactionState, remember, type Transaction } from './newTransactions';
import { readPendingTopUps, referenceOf, stageOf, topUpStage, waitFor } from './topUps';
import { readWalletSettings, type WalletSettings } from './walletSettings';

/** Names in n8n's static data of the node. */
const LOW_BALANCE = 'lowBalance';
const TRANSACTIONS = 'transactions';
const PENDING_TOP_UPS = 'pendingTopUps';

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
	const asked = await client.call(contract.wallet.getBalance, {});
	if (asked.outcome !== 'accepted') return { items: [], error: asked.error };
	const { balance, currency } = asked.output;
	// Read and changed without a pause in between: n8n may poll anew while a slow poll is under way.
	const memory = context.getWorkflowStaticData('node');
	const { fires, after } = judgeBalance(balance, limit, readLowBalanceState(memory[LOW_BALANCE]));
	memory[LOW_BALANCE] = after;
	return { items: fires ? [balanceItem(balance, currency ?? null, limit)] : [] };
}

async function pollTransactions(context: IPollFunctions, client: Client, settings: WalletSettings): Promise<Part> {
	const memory = context.getWorkflowStaticData('node');
	const read = () => readTransactionState(memory[TRANSACTIONS]);
	const onTopUps = settings.triggerOn.includes('topUpCompleted');
	const completed = await askForPending(context, client, onTopUps ? readPendingTopUps(memory[PENDING_TOP_UPS]) : []);
	const { error } = completed;
	const look = await lookForNew(async (page) => await client.call(contract.wallet.listTransactions, page), read());
	if (look.kind === 'failed') return { items: [], error: look.error };
	if (look.kind === 'too_many') {
		delete memory[TRANSACTIONS];
		throw new NodeOperationError(
			context.getNode(),
			'There are more than 50,000 transactions since the last poll: they cannot be read in one go',
			{ description: 'Those are left out, and the next poll begins anew. Poll more often.' },
		);
	}
	if (look.kind === 'beginning') {
		if (look.known) logBeginning(context);
		memory[TRANSACTIONS] = [...remember([], [...look.rows].reverse())];
		memory[PENDING_TOP_UPS] = [...waitFor([], pendingReferences(look.rows), [])];
		return { items: [], error };
	}
	// A slow poll may have been overtaken by the next one.
	const known = new Set(read());
	const rows = look.rows.filter((row) => !known.has(keyOf(row)));
	memory[TRANSACTIONS] = [...remember(read() ?? [], rows)];
	const waiting = readPendingTopUps(memory[PENDING_TOP_UPS]);
	const arrived = completed.done.filter(({ reference }) => waiting.includes(reference));
	const over = [...completed.done, ...completed.ended].map(({ reference }) => reference);
	memory[PENDING_TOP_UPS] = [...waitFor(waiting, pendingReferences(rows), over)];
	const items = rows.flatMap((row) => toItems(row, settings));
	return { items: onTopUps ? [...arrived.map(({ item }) => item), ...items] : items, error };
}

interface Settled {
	readonly reference: string;
	readonly item: IDataObject;
}

/** What became of the top-ups that were pending. */
interface Pending {
	readonly done: readonly Settled[];
	readonly ended: readonly Settled[];
	/** Why the others could not be asked for. */
	readonly error?: ServiceError;
}

/**
 * Asks for the top-ups that were pending. One that is not known any more is given up; one that the service will tell
 * nothing of must not hold up the others for ever, and is asked for again with the next poll.
 */
async function askForPending(context: IPollFunctions, client: Client, references: readonly string[]): Promise<Pending> {
	const done: Settled[] = [];
	const ended: Settled[] = [];
	for (const reference of references) {
		const asked = await client.call(contract.wallet.getTopUp, { reference });
		if (asked.outcome !== 'accepted') {
			const { error } = asked;
			if (!(error instanceof ApiError) || isTrouble(error)) return { done, ended, error };
			if (error.meaning === 'not_found') ended.push({ reference, item: {} });
			else logFailure(context, error);
			continue;
		}
		const item = { event: 'wallet.topup_completed', ...asked.output, reference };
		const stage = stageOf(asked.output.status);
		if (stage === 'completed') done.push({ reference, item });
		if (stage === 'ended') ended.push({ reference, item });
	}
	return { done, ended };
}

/** Whether it is no matter of one top-up: the next would fail in the same way. */
function isTrouble({ meaning }: ServiceError): boolean {
	return meaning === 'invalid_key' || meaning === 'rate_limited' || meaning === 'server_error';
}

function logFailure(context: IPollFunctions, error: ServiceError): void {
	context.logger.warn(`Messaging Service Wallet Trigger "${context.getNode().name}": ${loggable(error)}`, {
		workflowId: context.getWorkflow().id,
	});
}

function pendingReferences(rows: readonly Transaction[]): string[] {
	return rows
		.filter((row) => topUpStage(row) === 'pending')
		.map(referenceOf)
		.filter((reference) => reference !== undefined);
}

/** Each transaction makes one item at most: a completed top-up is told as that where it is chosen. */
function toItems(row: Transaction, { triggerOn, onlyTypes }: WalletSettings): IDataObject[] {
	if (triggerOn.includes('topUpCompleted') && topUpStage(row) === 'completed') {
		return [{ event: 'wallet.topup_completed', ...row }];
	}
	const wanted = onlyTypes.length === 0 || onlyTypes.includes((row.type ?? '').toLowerCase());
	return triggerOn.includes('newTransaction') && wanted ? [{ event: 'wallet.transaction', ...row }] : [];
}

/** What somebody sees who tries the trigger in the editor: how things stand now, else the interface's example. */
async function sample(context: IPollFunctions, client: Client, settings: WalletSettings): Promise<IDataObject[]> {
	const items: IDataObject[] = [];
	const must = <Output>(asked: Outcome<Output>): Output => {
		if (asked.outcome === 'accepted') return asked.output;
		throw toNodeError(context.getNode(), asked.error, undefined);
	};
	if (settings.triggerOn.some((name) => name !== 'lowBalance')) {
		const rows = must(await client.call(contract.wallet.listTransactions, { limit: 100, offset: 0 }));
		for (const name of ['newTransaction', 'topUpCompleted'] as const) {
			if (!settings.triggerOn.includes(name)) continue;
			const only = { ...settings, triggerOn: [name] };
			const [found] = rows.flatMap((row) => toItems(row, only));
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

function logBeginning(context: IPollFunctions): void {
	context.logger.warn(
		`Messaging Service Wallet Trigger "${context.getNode().name}": none of the transactions of the last poll is in the list any more, so it begins anew with those that follow`,
		{ workflowId: context.getWorkflow().id },
	);
}
