import type { TargetedKeyboardEvent } from 'preact';
import { useState } from 'preact/hooks';

/** Properties of {@link Composer}. */
export interface ComposerProps {
	readonly hidden: boolean;
	/** Sends a message. @returns whether it was sent; otherwise its text stays */
	readonly send: (message: string) => Promise<boolean>;
}

/** Where the owner of the phone writes a message. Enter sends it, Shift and Enter begin a new line. */
export function Composer({ hidden, send }: ComposerProps) {
	const [text, setText] = useState('');
	const isBlank = text.trim() === '';

	async function submit(): Promise<void> {
		if (isBlank) return;
		setText('');
		const sent = await send(text);
		// Keep the unsent text, unless the user has begun a new one.
		if (!sent) setText((next) => next || text);
	}

	function sendOnEnter(event: TargetedKeyboardEvent<HTMLTextAreaElement>): void {
		if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
		event.preventDefault();
		void submit();
	}
	return (
		<form
			id="composer"
			autocomplete="off"
			hidden={hidden}
			onSubmit={(event) => {
				event.preventDefault();
				void submit();
			}}
		>
			<textarea
				id="text"
				rows={1}
				maxLength={1600}
				placeholder="Text message"
				aria-label="Text message"
				value={text}
				onInput={({ currentTarget }) => setText(currentTarget.value)}
				onKeyDown={sendOnEnter}
			/>
			<button id="send" type="submit" aria-label="Send" disabled={isBlank}>
				<svg viewBox="0 0 24 24" aria-hidden="true">
					<path d="M3.4 20.4 21.2 12 3.4 3.6v6.4L14 12 3.4 14z" />
				</svg>
			</button>
		</form>
	);
}
