import { textWarnings, withSentFields, type SentText } from '../../../shared';
import { addHint } from '../host/olderN8n';
import type { Call, Run } from './operation';
import { SkippedRow, type Result } from './outputItems';

/** The text of a message as its recipient reads it; undefined if the service writes it, as for a one-time code. */
export function textOf({ endpoint, input: { subject, message } }: Call): string | undefined {
	if (!endpoint.charges || typeof message !== 'string') return undefined;
	return typeof subject === 'string' ? `${subject}\n${message}` : message;
}

/** The texts that a run sent, may have sent, or would send. */
export function sentTexts(results: readonly Result[]): SentText[] {
	return results.flatMap((result): SentText[] => {
		const { item, index } = result.input;
		if (result.outcome !== 'accepted' && result.outcome !== 'unknown') return [];
		if (result.outcome === 'accepted' && result.output instanceof SkippedRow) return [];
		const text = 'kind' in item && item.kind === 'call' ? textOf(item) : undefined;
		if (text === undefined) return [];
		const { to } = 'kind' in item && item.kind === 'call' ? withSentFields(item.endpoint, item.input, {}) : {};
		return [{ text, place: `item ${index + 1}`, ...(to !== undefined && { to }) }];
	});
}

/** Warns above the output about texts that look as if a value was missing, and about texts that someone gets twice. */
export function hintAtTexts({ context }: Run, sent: readonly SentText[]): void {
	const warnings = textWarnings(sent);
	if (warnings.length > 0) addHint(context, 'warning', warnings.join(' '));
}
