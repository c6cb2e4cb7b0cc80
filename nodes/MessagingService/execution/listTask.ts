import type { IExecuteFunctions } from 'n8n-workflow';
import { errorFacts, errorText, IncompleteListError, type ListEndpoint } from '../../../shared';
import { addHint } from '../host/olderN8n';
import type { Task } from './operation';

/**
 * Reads the pages of a list, up to the limit. If the service has more rows but gives no way to get them, the readable
 * rows are returned with a warning above the output. If a later page fails, the item fails, because a retry may help.
 * @param limit maximum number of rows, `Infinity` for all
 */
export function listTask(context: IExecuteFunctions, endpoint: ListEndpoint, limit: number): Task {
	return {
		kind: 'task',
		run: async (client, options) => {
			const read = await client.readAll(endpoint, { ...options, enough: ({ length }) => length >= limit });
			if (read.outcome !== 'accepted') return read;
			const { rows, incomplete } = read.output;
			if (incomplete && !(incomplete instanceof IncompleteListError)) return { outcome: 'rejected', error: incomplete };
			if (incomplete) {
				const message = `${errorText(incomplete)}${errorFacts(incomplete)}`;
				addHint(context, 'warning', message);
			}
			return { outcome: 'accepted', output: rows.slice(0, limit) };
		},
	};
}
