import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Properties of {@link Dialog}. */
export interface DialogProps {
	readonly title: string;
	/** At the edge of the page instead of in the middle. */
	readonly side?: boolean;
	/** Not closed by a click outside. */
	readonly firm?: boolean;
	/** Called after the user has closed it. The parent then no longer renders it. */
	readonly onClose: () => void;
	readonly children: ComponentChildren;
}

/**
 * An open dialog. Escape, its close button and a click outside close it. The focus then returns to where it was, or else
 * to the page's heading.
 */
export function Dialog({ title, side = false, firm = false, onClose, children }: DialogProps) {
	const id = useId();
	const dialog = useRef<HTMLDialogElement>(null);
	const heading = useRef<HTMLHeadingElement>(null);
	useLayoutEffect(() => {
		const before = document.activeElement;
		const opened = dialog.current;
		opened?.showModal();
		heading.current?.focus();
		return () => {
			opened?.close();
			if (before instanceof HTMLElement && before !== document.body && before.isConnected) before.focus();
			else document.querySelector('h1')?.focus();
		};
	}, []);
	return (
		// The keyboard has Escape and the close button for the click outside.
		<dialog
			ref={dialog}
			class={side ? 'side' : 'middle'}
			aria-labelledby={id}
			onClose={() => {
				// The browser reports the end of a dialog that the page has already removed, too.
				if (dialog.current) onClose();
			}}
			onClick={({ target }) => {
				if (!firm && target === dialog.current) dialog.current?.close();
			}}
		>
			<div class="dialog-head">
				<h2 id={id} tabIndex={-1} ref={heading}>
					{title}
				</h2>
				<button type="button" class="close" aria-label="Close" onClick={() => dialog.current?.close()}>
					×
				</button>
			</div>
			<div class="dialog-body">{children}</div>
		</dialog>
	);
}

/** A question before an action that cannot be undone. */
export interface Question {
	readonly title: string;
	/** A list of consequences above the text. */
	readonly points?: readonly string[];
	readonly text: string;
	/** Text of the button that agrees. */
	readonly action: string;
}

let ask: (question: Question, answer: (agreed: boolean) => void) => void = (_question, answer) => answer(false);

/** Asks for confirmation. The page needs a {@link Confirmation}. @returns whether the user agreed */
export async function confirm(question: Question): Promise<boolean> {
	return await new Promise((resolve) => ask(question, resolve));
}

/** The dialog that {@link confirm} opens. Each page that asks has one. */
export function Confirmation() {
	const [asked, setAsked] = useState<{ question: Question; answer: (agreed: boolean) => void }>();
	useEffect(() => {
		ask = (question, answer) => setAsked({ question, answer });
		return () => {
			ask = (_question, answer) => answer(false);
		};
	}, []);
	useEffect(() => {
		// Another place in the page has other records, so the question no longer applies.
		const leave = () => {
			setAsked(undefined);
			asked?.answer(false);
		};
		addEventListener('hashchange', leave);
		return () => removeEventListener('hashchange', leave);
	}, [asked]);
	if (!asked) return null;
	const { question, answer } = asked;
	const close = (agreed: boolean) => {
		setAsked(undefined);
		answer(agreed);
	};
	return (
		<Dialog title={question.title} onClose={() => close(false)}>
			{question.points && (
				<ul>
					{question.points.map((point) => (
						<li key={point}>{point}</li>
					))}
				</ul>
			)}
			<p>{question.text}</p>
			<div class="buttons end">
				<button type="button" onClick={() => close(false)}>
					Cancel
				</button>
				<button type="button" class="danger" onClick={() => close(true)}>
					{question.action}
				</button>
			</div>
		</Dialog>
	);
}
