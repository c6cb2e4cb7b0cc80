/**
 * Reads a field that should be text. A number, as a mapped field may give it, becomes text; what is empty becomes the
 * empty text, which the contract then refuses by name.
 */
export function textInput(value: unknown): string {
	return messageInput(value).trim();
}

/** Reads a message text: like {@link textInput}, but with its spaces and line breaks left alone. */
export function messageInput(value: unknown): string {
	if (typeof value === 'string') return value;
	return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}
