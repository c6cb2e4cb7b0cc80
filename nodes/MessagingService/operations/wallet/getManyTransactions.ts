import type { INode } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { InputError, ServiceError, type CallOptions, type Client, type Outcome } from '../../../../shared';
import type { Operation } from '../../runtime/operation';
import { numberParameter } from '../../runtime/parameters';
import { shownFor } from '../fields';

const { show } = shownFor('wallet', 'getManyTransactions');

/** Wallet > Get Many Transactions. */
export const getManyTransactions: Operation = {
	option: {
		name: 'Get Many Transactions',
		value: 'getManyTransactions',
		action: 'Get many wallet transactions',
		description: 'Get top-ups, debits, refunds and adjustments of the wallet, newest first',
	},
	fields: [
		{
			displayName: 'Return All',
			name: 'returnAll',
			type: 'boolean',
			default: false,
			description: 'Whether to return all results or only up to a given limit',
			displayOptions: { show },
		},
		{
			displayName: 'Limit',
			name: 'limit',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: 50,
			description: 'Max number of results to return',
			displayOptions: { show: { ...show, returnAll: [false] } },
		},
	],
	labels: { limit: 'Limit', offset: 'Offset' },
	prepare: (context, itemIndex) => {
		const all = context.getNodeParameter('returnAll', itemIndex, false) === true;
		const limit = all ? Number.POSITIVE_INFINITY : numberParameter(context, 'limit', itemIndex);
		if (!all && !(Number.isInteger(limit) && limit > 0)) {
			return new InputError('node', [{ field: 'limit', message: 'is not a whole number above 0, e.g. 50' }]);
		}
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
