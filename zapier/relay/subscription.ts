import { z } from 'zod/v4';

/**
 * The parts of a subscription that Zapier keeps for the Zap. The secret has at least 24 bytes (Standard Webhooks),
 * because anyone could sign with an empty one.
 */
export const subscription = z.object({
	id: z.string().min(1),
	secret: z.string().regex(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/),
});

/** A parsed {@link subscription}. */
export type Subscription = z.output<typeof subscription>;
