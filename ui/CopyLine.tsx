import { CopyButton } from './CopyButton';

/** Properties of {@link CopyLine}. */
export interface CopyLineProps {
	/** Names the value. */
	readonly name: string;
	readonly value: string;
	/** ID of the element with the value. */
	readonly id?: string;
}

/** A named value with a button that copies it. */
export function CopyLine({ name, value, id }: CopyLineProps) {
	return (
		<div class="copy-line">
			<span class="name">{name}</span>
			{/* It can have the focus, so the keyboard can select it, too. */}
			<code id={id} tabIndex={0}>
				{value}
			</code>
			<CopyButton value={value} what={name} />
		</div>
	);
}
