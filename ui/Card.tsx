import type { ComponentChildren } from 'preact';

/** A card with a heading. */
export function Card({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
	return (
		<section class="card">
			<h2>{title}</h2>
			{children}
		</section>
	);
}

/** An explanatory paragraph. */
export function Hint({ children }: { readonly children: ComponentChildren }) {
	return <p class="hint">{children}</p>;
}
