import type { ComponentChildren } from 'preact';
import { Dialog } from './Dialog';
import { Problem } from './Problem';

/** Properties of the panel of one record. */
export interface PanelProps {
	/** ID of the shown record. */
	readonly id: string;
	/** Called after the user has closed the panel. */
	readonly onClose: () => void;
}

/** Properties of {@link SidePanel}. */
export interface SidePanelProps {
	readonly title: string;
	/** Why the record could not be read, or an empty text. */
	readonly problem: string;
	readonly onClose: () => void;
	readonly children: ComponentChildren;
}

/** A panel at the edge of the page with the details of one record. */
export function SidePanel({ title, problem, onClose, children }: SidePanelProps) {
	return (
		<Dialog title={title} side onClose={onClose}>
			<Problem text={problem} />
			{children}
		</Dialog>
	);
}
