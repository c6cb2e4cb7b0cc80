import type { IWebhookFunctions } from 'n8n-workflow';
import { z } from 'zod/v4';

const text = z.string().catch('');
const texts = z.array(z.string()).catch([]);
const wholeNumber = (otherwise: number) => z.number().min(0).catch(otherwise);

const settings = z.object({
	triggerOn: z.array(z.enum(['inboundSms', 'inboundWhatsapp', 'deliveryReceipt', 'lowBalance'])).catch([]),
	serviceCalls: z.array(z.enum(['confirm', 'passOn'])).catch([]),
	ownKeywords: text.transform(listOf),
	routeByKeyword: z.boolean().catch(false),
	filters: z
		.object({
			sender: text.transform(listOf),
			recipient: text.transform(listOf),
			keywords: texts,
			statuses: texts,
		})
		.catch({ sender: [], recipient: [], keywords: [], statuses: [] }),
	options: z
		.object({
			allowedIps: text,
			passOnUrl: text.transform((url) => url.trim()),
			ignoreRepeatsSeconds: wholeNumber(60),
			startsPerSenderPerHour: wholeNumber(60),
			unknownPosts: z.enum(['refuse', 'start']).catch('refuse'),
		})
		.catch({
			allowedIps: '',
			passOnUrl: '',
			ignoreRepeatsSeconds: 60,
			startsPerSenderPerHour: 60,
			unknownPosts: 'refuse',
		}),
});

/** How a webhook trigger is set up. */
export type TriggerSettings = z.output<typeof settings>;

/** Reads the trigger's fields; an empty or missing one counts as its default. */
export function readSettings(context: Pick<IWebhookFunctions, 'getNodeParameter'>): TriggerSettings {
	const read = (name: string): unknown => context.getNodeParameter(name, null);
	return settings.parse({
		triggerOn: read('triggerOn'),
		serviceCalls: read('serviceCalls'),
		ownKeywords: read('ownKeywords'),
		routeByKeyword: read('routeByKeyword'),
		filters: read('filters') ?? {},
		options: read('options') ?? {},
	});
}

/** The entries of a list that was typed with commas between them. */
function listOf(typed: string): string[] {
	return typed
		.split(',')
		.map((entry) => entry.trim())
		.filter((entry) => entry !== '');
}
