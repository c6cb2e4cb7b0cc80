import { useEffect, useState } from 'preact/hooks';
import { showToast } from './Toast';

const SHOWN_MS = 2000;

/** Properties of {@link CopyButton}. */
export interface CopyButtonProps {
	readonly value: string;
	/** Names the value for screen readers. */
	readonly what: string;
}

/** A button that copies a value. */
export function CopyButton({ value, what }: CopyButtonProps) {
	const [label, setLabel] = useState('Copy');
	useEffect(() => {
		if (label === 'Copy') return undefined;
		const ending = setTimeout(() => setLabel('Copy'), SHOWN_MS);
		return () => clearTimeout(ending);
	}, [label]);

	async function copy(): Promise<void> {
		try {
			await navigator.clipboard.writeText(value);
			setLabel('Copied');
			showToast(`Copied: ${what}`);
		} catch {
			setLabel('Select and copy');
		}
	}
	return (
		<button type="button" class="small" aria-label={`Copy ${what}`} onClick={() => void copy()}>
			{label}
		</button>
	);
}
