import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Filters } from './filters';
import { formatCount } from './format';
import { useLive } from './live';
import type { Query } from './request';
import { EmptyState, Table, type TableProps } from './Table';

/** Number of rows at first, and of those that each press of "Show more" adds. */
const PAGE = 50;
/** Limit of one response. To see other rows, narrow the search. */
const MAX_ITEMS = 1000;

/** Rows of a list, newest first. */
export interface Rows<Item> {
	readonly items: readonly Item[];
	/** Length of the whole list, if it is known. */
	readonly total?: number;
	/** Whether there are more rows, if the length is unknown. */
	readonly hasMore?: boolean;
}

/** The rows of a {@link FilteredList}. */
export interface ListData<Item> {
	/** Undefined until they have arrived. */
	readonly items: readonly Item[] | undefined;
	/** Length of the whole list. Undefined if it is unknown. */
	readonly total: number | undefined;
	/** Whether there are more rows. */
	readonly hasMore: boolean;
	/** Whether the rows were read with a filter. */
	readonly filtered: boolean;
	/** Whether there are more rows than one response holds. */
	readonly canGrow: boolean;
	readonly showMore: () => void;
	/** Reads the rows again. */
	readonly refresh: () => Promise<void>;
}

/**
 * Reads the rows that match the filters, and reads them again whenever the server reports a change. Other filters start
 * with one page.
 * @param kinds changes that can change the rows
 * @param load reads the rows; gets the filters and the limit
 */
export function useFilteredList<Item>(
	kinds: readonly string[],
	filters: Filters<string>,
	load: (query: Query & { readonly limit: number }) => Promise<Rows<Item>>,
): ListData<Item> {
	const { key, any } = filters;
	const [last, setLast] = useState({ key, limit: PAGE });
	const limit = last.key === key ? last.limit : PAGE;
	const query = { ...filters.values, limit };
	const { data, refresh } = useLive(kinds, JSON.stringify(query), async () => ({
		filtered: any,
		...(await load(query)),
	}));
	return {
		items: data?.items,
		total: data?.total,
		hasMore: data?.hasMore ?? (data?.items.length ?? 0) < (data?.total ?? 0),
		filtered: data?.filtered ?? false,
		canGrow: limit < MAX_ITEMS,
		showMore: () => setLast({ key, limit: Math.min(limit + PAGE, MAX_ITEMS) }),
		refresh,
	};
}

/** Properties of {@link FilteredList}. */
export interface FilteredListProps<Item> extends Omit<TableProps<Item>, 'items' | 'empty'> {
	readonly list: ListData<Item>;
	readonly filters: Filters<string>;
	/** Names the rows, such as `messages`. */
	readonly what: string;
	/** Shown if there are no rows, whatever the filters. */
	readonly empty: ComponentChildren;
}

/** A table of the rows that match the filters. Below it: how many are shown, and a button for more. */
export function FilteredList<Item>({ list, filters, what, empty, ...table }: FilteredListProps<Item>) {
	const { items, total, hasMore, filtered, canGrow, showMore } = list;
	const shown = items?.length ?? 0;
	return (
		<>
			<Table {...table} items={items} empty={filtered ? <NoMatch what={what} onShowAll={filters.clear} /> : empty} />
			<div class="buttons list-end">
				{hasMore && canGrow && (
					<button type="button" onClick={showMore}>
						Show more
					</button>
				)}
				<p class="hint" role="status">
					{shown > 0 &&
						`${formatCount(shown)}${total === undefined ? '' : ` of ${formatCount(total)}`} shown, newest first`}
				</p>
			</div>
		</>
	);
}

function NoMatch({ what, onShowAll }: { readonly what: string; readonly onShowAll: () => void }) {
	return (
		<>
			<EmptyState title={`No ${what} match`}>Try fewer words, or fewer filters.</EmptyState>
			<button type="button" onClick={onShowAll}>
				Show all
			</button>
		</>
	);
}
