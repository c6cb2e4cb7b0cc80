import type { ComponentChildren } from 'preact';

/** Color of a badge. It repeats the meaning of the text. */
export type Tone = 'good' | 'bad' | 'busy' | 'plain';

/** A small label for a status. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) {
	return (
		<span class="badge" data-tone={tone}>
			{children}
		</span>
	);
}
