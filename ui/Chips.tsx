/** A short note that links to its cause. */
export interface Chip {
	readonly text: string;
	readonly href: string;
}

/** A line of {@link Chip}s. Without any, it takes no space. */
export function Chips({ chips }: { readonly chips: readonly Chip[] }) {
	return (
		<p class="chips">
			{chips.map(({ text, href }) => (
				<a key={href} href={href}>
					{text}
				</a>
			))}
		</p>
	);
}
