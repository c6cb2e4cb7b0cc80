import { randomUUID } from 'node:crypto';
import { Agent } from 'undici';
import type { Services } from '../services';
import type { PhoneText } from '../store/phoneTexts';
import { postText } from './postText';

/** The simulated phones: texting in makes the gateway post to one configured URL. They never answer by themselves. */
export interface Phones {
	/** Where texts are posted now. */
	inboundUrl(): string;
	/** Keeps a text and starts posting it. @returns the text as kept, before it is posted */
	text(sender: string, recipient: string, text: string): PhoneText;
	/** Gives up what is being posted and waits until that is kept. */
	stop(): Promise<void>;
}

/**
 * Makes the phones.
 * @param ownWebhook URL that is posted to where none is set
 */
export function createPhones({ store, clock }: Services, ownWebhook: string): Phones {
	const agent = new Agent();
	const stopping = new AbortController();
	const underWay = new Set<Promise<void>>();
	store.phoneTexts.abandon('the sandbox was stopped before an answer came');

	function inboundUrl(): string {
		return store.settings.read().inbound_url ?? ownWebhook;
	}

	async function post(text: PhoneText): Promise<void> {
		const { inbound_format } = store.settings.read();
		store.phoneTexts.finish(text.id, await postText(text, inbound_format, agent, stopping.signal));
	}

	return {
		inboundUrl,
		text: (sender, recipient, text) => {
			const kept = store.phoneTexts.add({
				id: randomUUID(),
				sender,
				recipient,
				text,
				url: inboundUrl(),
				created_at: clock.now(),
			});
			const posting = post(kept).finally(() => underWay.delete(posting));
			underWay.add(posting);
			return kept;
		},
		stop: async () => {
			stopping.abort();
			await Promise.all(underWay);
			await agent.close();
		},
	};
}
