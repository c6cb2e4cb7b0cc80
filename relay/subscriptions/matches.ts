import { passesFilters, type EventItem } from '../../shared/index';
import { toEventFilters, type Filter } from './filter';

/** Whether a subscription wants an event. Events without fields to filter by only need their type. */
export function matches(
	{ types, filter }: { readonly types: readonly string[]; readonly filter: Filter },
	{ type, item }: { readonly type: string; readonly item?: EventItem },
): boolean {
	return types.includes(type) && (item === undefined || passesFilters(item, toEventFilters(filter)));
}
