import type { IExecuteFunctions } from 'n8n-workflow';
import { IncompleteListError, type ListEndpoint } from '../../../shared';
import { asSentence, explainError } from './errors';
import type { Task } from './operation';

/**
 * Reads a list over all its pages, as far as the limit needs. If the service says that there is more but not how to get
 * it, the rows that can be read come with a hint above the output; if a further page fails, the item fails, since trying
 * again may help.
 * @param limit most rows, `Infinity` for all
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
				const { message, description } = explainError(incomplete);
				const hint = `${asSentence(message)} ${description}`;
				context.addExecutionHints({ message: hint, type: 'warning', location: 'outputPane' });
			}
			return { outcome: 'accepted', output: rows.slice(0, limit) };
		},
	};
}
