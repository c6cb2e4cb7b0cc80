import type { IWebhookFunctions } from 'n8n-workflow';
import { z } from 'zod/v4';
import { endOfRun } from './outputs';
import type { SentQuestion } from './question';
import type { ResponseLink } from './resumeUrl';

/** How an earlier question ended, for one of its approvers. */
export type Settlement = {
	/** The text of the question. */
	readonly message: string;
} & (
	| {
			readonly by: 'visitor' | 'another';
			/** In words, in the time zone of the workflow. */
			readonly at: string;
	  }
	| { readonly by: 'no one' }
);

const ended = z.object({ message: z.string() });

const responded = ended.extend({
	approvers: z.array(z.object({ to: z.string() })),
	data: z.object({ approver: z.string(), respondedAt: z.string() }),
});

/**
 * Finds out how the question of a link ended. It can be found only while this node waits for the response to another
 * question of the same execution. At any other time, n8n shows its own page.
 * @param asked the question that the node waits for
 * @returns undefined if it cannot be found
 */
export function settlementOf(
	context: IWebhookFunctions,
	asked: SentQuestion,
	link: ResponseLink,
): Settlement | undefined {
	for (let run = Number(link.run); run < asked.newestRun; run++) {
		const end = endOfRun(context, run);
		if (!end) return undefined;
		if (end.name === 'noResponse') {
			const read = ended.safeParse(end.row);
			return read.success ? { message: read.data.message, by: 'no one' } : undefined;
		}
		if (end.name === 'response') {
			const read = responded.safeParse(end.row);
			if (!read.success) return undefined;
			const { message, approvers, data } = read.data;
			const at = inWords(data.respondedAt, context.getTimezone());
			return { message, by: approvers[link.approver]?.to === data.approver ? 'visitor' : 'another', at };
		}
	}
	return undefined;
}

function inWords(time: string, timeZone: string): string {
	const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone });
	return `${format.format(new Date(time))} (${timeZone})`;
}
