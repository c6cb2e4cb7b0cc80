import type { Topic } from '../../changes';
import { type LiveData, useLive } from '../../../ui/live';

/**
 * Reads data of the relay, and reads it again whenever it changes.
 * @param topics changes that can change the data
 * @param load reads it
 * @param key identifies what to read. A new key is read at once
 */
export function useData<Data>(topics: readonly Topic[], load: () => Promise<Data>, key = ''): LiveData<Data> {
	return useLive(topics, key, load);
}

/**
 * Reads the kinds of data that an event of the relay's stream names.
 * @returns no kinds if all data may have changed
 */
export function topicsOf(data: string): readonly string[] {
	const { topic } = JSON.parse(data) as { topic: Topic | 'all' };
	return topic === 'all' ? [] : [topic];
}
