import { z } from 'zod/v4';

/** Something that happens outside and is posted to us. */
export interface EventDefinition<Id extends string = string, Payload extends z.ZodType = z.ZodType> {
	readonly id: Id;
	readonly summary: string;
	/** Parses the posted fields, from JSON or a form, into one shape. */
	readonly payload: Payload;
	readonly example: z.input<Payload>;
}

/** The payload of an event after parsing. */
export type PayloadOf<E extends EventDefinition> = z.output<E['payload']>;

const text = z.union([z.string(), z.number().transform(String)]);

/** A text from a phone (service.md, Inbound SMS webhook fields): `From` or `from`, `To` or `to`, `Message` or `message`. */
export const inboundSms = {
	id: 'sms.inbound',
	summary: 'Somebody texted one of your numbers or sender IDs',
	payload: z
		.looseObject({
			From: text.nullish(),
			from: text.nullish(),
			To: text.nullish(),
			to: text.nullish(),
			Message: text.nullish(),
			message: text.nullish(),
		})
		.transform((posted, context) => {
			const from = posted.from?.trim() || posted.From?.trim();
			const to = posted.to?.trim() || posted.To?.trim();
			// An empty text is a text; an empty sender is none.
			const message = posted.message || (posted.Message ?? posted.message);
			if (!from || !to || typeof message !== 'string') {
				const missing = [!from && 'from', !to && 'to', typeof message !== 'string' && 'message'].filter(Boolean);
				context.addIssue({ code: 'custom', message: `missing ${missing.join(', ')}` });
				return z.NEVER;
			}
			return { from, to, message };
		}),
	example: { From: '+233201234567', To: 'KOFISHOP', Message: 'HOURS' },
} satisfies EventDefinition;
