import type { IExecuteFunctions } from 'n8n-workflow';

/**
 * Reads a parameter that should be text. A number, as spreadsheets and expressions give it, becomes text; an empty
 * cell becomes the empty text, which the contract then refuses by name.
 */
export function textParameter(context: IExecuteFunctions, name: string, itemIndex: number): string {
	const value: unknown = context.getNodeParameter(name, itemIndex, '', { extractValue: true });
	if (typeof value === 'string') return value.trim();
	return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** Reads a message text: like {@link textParameter}, but with its spaces and line breaks left alone. */
export function messageParameter(context: IExecuteFunctions, name: string, itemIndex: number): string {
	const value: unknown = context.getNodeParameter(name, itemIndex, '');
	if (typeof value === 'string') return value;
	return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}
