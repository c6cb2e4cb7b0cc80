import type { ChangeKind } from '../store/changes';
import { type LiveData, useLive } from '../../ui/live';

/**
 * Reads data of the sandbox, and reads it again whenever it changes.
 * @param kinds changes that can change the data
 * @param load reads it
 * @param key identifies what to read. A new key is read at once
 */
export function useData<Data>(kinds: readonly ChangeKind[], load: () => Promise<Data>, key = ''): LiveData<Data> {
	return useLive(kinds, key, load);
}
