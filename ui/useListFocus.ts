import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

/** The focused control of a list, and its item. */
interface ListFocus {
	readonly control: HTMLElement;
	readonly item: Element;
	readonly position: number;
}

/**
 * Keeps the focus in a list whose items change. If the focused control disappears, the focus moves to its item, or else
 * to the same control of the item that took its place. An empty list gets the focus itself.
 * @param list element of the list
 * @param selector selects its items
 */
export function useListFocus(list: RefObject<HTMLElement>, selector: string): void {
	// The focus has to be read before this render changes the list.
	const focus = findFocus(list.current, selector);
	useLayoutEffect(() => {
		if (focus && list.current && document.activeElement === document.body) restore(focus, list.current, selector);
	});
}

function findFocus(list: HTMLElement | null, selector: string): ListFocus | undefined {
	const control = document.activeElement;
	if (!list || !(control instanceof HTMLElement) || !list.contains(control)) return undefined;
	const item = control.closest(selector);
	return item ? { control, item, position: [...list.querySelectorAll(selector)].indexOf(item) } : undefined;
}

function restore({ control, item, position }: ListFocus, list: HTMLElement, selector: string): void {
	const items = [...list.querySelectorAll<HTMLElement>(selector)];
	const next = items.find((one) => one === item) ?? items[Math.min(position, items.length - 1)];
	const controls = next?.querySelectorAll<HTMLElement>('a, button') ?? [];
	const target = [...controls].find((one) => one.textContent === control.textContent) ?? next ?? list;
	// Only elements with a tab index can have the focus.
	if (target === next || target === list) target.tabIndex = -1;
	target.focus();
}
