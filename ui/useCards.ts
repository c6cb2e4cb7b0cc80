import { type RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

/**
 * Marks an element with `data-cards` while the table in it does not fit, whatever its content. It is measured again when
 * the width changes, and not with each change of the rows: the page would jump between the two layouts.
 */
export function useCards(holder: RefObject<HTMLElement>): void {
	useLayoutEffect(() => {
		const element = holder.current;
		if (!element) return undefined;
		let width = 0;
		const observer = new ResizeObserver(() => {
			if (element.clientWidth === width) return;
			width = element.clientWidth;
			delete element.dataset.cards;
			markIfTooWide(element);
		});
		observer.observe(element);
		return () => observer.disconnect();
	}, [holder]);
	// After each change of the rows.
	useLayoutEffect(() => {
		if (holder.current) markIfTooWide(holder.current);
	});
}

function markIfTooWide(element: HTMLElement): void {
	const table = element.querySelector('table');
	if (table && table.offsetWidth > element.clientWidth) element.dataset.cards = '';
}
