import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Problem } from './Problem';
import { errorMessage } from './request';

/** Properties of {@link ActionButton}. */
export interface ActionButtonProps {
	readonly act: () => Promise<unknown>;
	/** Name for screen readers, if the text alone is ambiguous. */
	readonly label?: string;
	/** Class names: `small`, `danger`, `primary`. */
	readonly look?: string;
	readonly children: ComponentChildren;
}

/** A button whose action runs once at a time. An error is shown beside it. */
export function ActionButton({ act, label, look, children }: ActionButtonProps) {
	const [busy, setBusy] = useState(false);
	const [problem, setProblem] = useState('');

	async function run(): Promise<void> {
		if (busy) return;
		setBusy(true);
		setProblem('');
		try {
			await act();
		} catch (error) {
			setProblem(errorMessage(error));
		} finally {
			setBusy(false);
		}
	}
	return (
		<span class="action">
			{/* A disabled button would lose the focus. */}
			<button type="button" class={look} aria-label={label} aria-disabled={busy} onClick={() => void run()}>
				{children}
			</button>
			<Problem text={problem} />
		</span>
	);
}
