import type { INodeProperties } from 'n8n-workflow';
import type { Operation, OperationTable } from '../runtime/operation';
import { get } from './sms/get';
import { send } from './sms/send';
import { getBalance } from './wallet/getBalance';

/** Every operation, by resource and operation value; the order is the one users see. */
export const operations = {
	sms: { get, send },
	wallet: { getBalance },
} satisfies OperationTable;

/** The fields of all operations, for the node's description. */
export const operationFields: INodeProperties[] = Object.values<Record<string, Operation>>(operations)
	.flatMap((resource) => Object.values(resource))
	.flatMap(({ fields }) => fields);
