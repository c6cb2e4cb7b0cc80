import { type INode, NodeOperationError } from 'n8n-workflow';
import { InputError, ServiceError, type CallOptions, type Client, type Outcome } from '../../../../shared';
import type { Operation } from '../../execution/operation';
import { limitParameter } from '../../host/parameters';
import { limitField, returnAllField, shownFor } from '../fields';

const { show } = shownFor('wallet', 'getManyTransactions');

/** Wallet > Get Many Transactions. */
export const getManyTransactions: Operation = {
	option: {
		name: 'Get Many Transactions',
		value: 'getManyTransactions',
		action: 'Get many wallet transactions',
		description: 'Get top-ups, debits, refunds and adjustments of the wallet, newest first',
	},
	fields: [returnAllField(show), limitField(show)],
	prepare: (context, itemIndex) => {
		const limit = limitParameter(context, itemIndex);
		if (limit instanceof InputError) return limit;
		return {
			kind: 'task',
			run: async (client, options) => await readTransactions(client, context.getNode(), limit, options),
		};
	},
};

async function readTransactions(
	client: Client,
	node: INode,
	limit: number,
	options: CallOptions,
): Promise<Outcome<unknown>> {
	const rows: unknown[] = [];
	try {
		for await (const { transaction } of client.eachTransaction(options)) {
			rows.push(transaction);
			if (rows.length >= limit) break;
		}
	} catch (error) {
		if (error instanceof ServiceError) return { outcome: 'rejected', error };
		throw new NodeOperationError(node, error instanceof Error ? error : String(error));
	}
	return { outcome: 'accepted', output: rows };
}
