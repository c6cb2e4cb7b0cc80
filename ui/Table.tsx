import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { useCards } from './useCards';
import { useListFocus } from './useListFocus';

/** A column of a {@link Table}. */
export interface Column<Item> {
	readonly title: string;
	readonly draw: (item: Item) => ComponentChildren;
	/** Aligned to the right. */
	readonly number?: boolean;
	/** Takes the whole width of a card. */
	readonly wide?: boolean;
	/** Heads the card. */
	readonly lead?: boolean;
	/** Shows the title to screen readers only. For buttons. */
	readonly hideTitle?: boolean;
}

/** Properties of {@link Table}. */
export interface TableProps<Item> {
	/** Names the list for screen readers. */
	readonly caption: string;
	readonly columns: readonly Column<Item>[];
	/** Undefined until they have arrived. */
	readonly items: readonly Item[] | undefined;
	readonly keyOf: (item: Item) => string | number;
	/** Shown instead if the list is empty. */
	readonly empty: ComponentChildren;
}

/** A table that becomes a list of cards if it does not fit. */
export function Table<Item>({ caption, columns, items, keyOf, empty }: TableProps<Item>) {
	const list = useRef<HTMLDivElement>(null);
	useListFocus(list, 'tbody tr');
	useCards(list);
	if (!items) return <div class="table" ref={list} />;
	if (items.length === 0) {
		return (
			<div class="table" ref={list}>
				<div class="empty">{empty}</div>
			</div>
		);
	}
	// As cards, the parts of a table would lose their roles, so they are explicit.
	return (
		<div class="table" ref={list}>
			<table role="table">
				<caption class="hidden">{caption}</caption>
				<thead role="rowgroup">
					<tr role="row">
						{columns.map(({ title, number, hideTitle }) => (
							<th key={title} scope="col" class={number ? 'number' : undefined}>
								{hideTitle ? <span class="hidden">{title}</span> : title}
							</th>
						))}
					</tr>
				</thead>
				<tbody role="rowgroup">
					{items.map((item) => (
						<tr role="row" key={keyOf(item)}>
							{columns.map((column) => (
								<td key={column.title} role="cell" class={classOf(column)} data-title={titleOf(column)}>
									{column.draw(item)}
								</td>
							))}
						</tr>
					))}
				</tbody>
			</table>
		</div>
	);
}

function classOf<Item>({ number, wide, lead, hideTitle }: Column<Item>): string | undefined {
	const classes = [number && 'number', wide && 'wide', lead && 'lead', hideTitle && 'actions'];
	return classes.filter(Boolean).join(' ') || undefined;
}

function titleOf<Item>({ title, hideTitle }: Column<Item>): string | undefined {
	return hideTitle ? undefined : title;
}

/** The content of an empty list: a title, and what to do. */
export function EmptyState({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
	return (
		<>
			<p class="empty-title">{title}</p>
			<p>{children}</p>
		</>
	);
}
