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
			From: text.optional(),
			from: text.optional(),
			To: text.optional(),
			to: text.optional(),
			Message: text.optional(),
			message: text.optional(),
		})
		.transform((posted, context) => {
			const from = (posted.from ?? posted.From)?.trim();
			const to = (posted.to ?? posted.To)?.trim();
			const message = posted.message ?? posted.Message;
			if (!from || !to || message === undefined) {
				const missing = [!from && 'from', !to && 'to', message === undefined && 'message'].filter(Boolean);
				context.addIssue({ code: 'custom', message: `missing ${missing.join(', ')}` });
				return z.NEVER;
			}
			return { from, to, message };
		}),
	example: { From: '+233201234567', To: 'KOFISHOP', Message: 'HOURS' },
} satisfies EventDefinition;
