import { randomUUID } from 'node:crypto';
import { Agent } from 'undici';
import type { Services } from '../services';
import type { PhoneText } from '../store/phoneTexts';
import { postText } from './postText';
import { receiveText } from './receiveText';

/** The simulated phones: texting in makes the gateway post to one configured URL. They never answer by themselves. */
export interface Phones {
	/** Where texts are posted now. */
	inboundUrl(): string;
	/**
	 * Keeps a text and starts posting it; a WhatsApp message goes to the service's own webhook for those.
	 * @returns the text as kept, before it is posted
	 */
	text(sender: string, recipient: string, text: string, channel?: PhoneText['channel']): PhoneText;
	/** Resolves when nothing is being posted. */
	idle(): Promise<void>;
	/** Gives up what is being posted and waits until that is kept. */
	stop(): Promise<void>;
}

/** Makes the phones. */
export function createPhones({ store, clock, url }: Services): Phones {
	const agent = new Agent();
	const stopping = new AbortController();
	const underWay = new Set<Promise<void>>();
	store.phoneTexts.abandon('the sandbox was stopped before an answer came');

	function inboundUrl(): string {
		return store.settings.read().inbound_url ?? `${url}/webhooks/inbound/sms`;
	}

	async function post(text: PhoneText): Promise<void> {
		const { inbound_format, allow_outside_urls } = store.settings.read();
		const options = { dispatcher: agent, outside: allow_outside_urls, stopping: stopping.signal };
		store.phoneTexts.finish(text.id, await postText(text, inbound_format, options));
	}

	return {
		inboundUrl,
		text: (sender, recipient, text, channel = 'sms') => {
			const kept = store.phoneTexts.add({
				id: randomUUID(),
				channel,
				sender,
				recipient,
				text,
				url: channel === 'sms' ? inboundUrl() : `${url}/webhooks/whatsapp/inbound`,
				created_at: clock.now(),
			});
			const { inbound_url, inbound_to_service } = store.settings.read();
			if (channel === 'sms' && inbound_url !== null && inbound_to_service) {
				receiveText({ store, clock }, { from: sender, to: recipient, message: text });
			}
			const posting = post(kept).finally(() => underWay.delete(posting));
			underWay.add(posting);
			return kept;
		},
		idle: async () => {
			while (underWay.size > 0) await Promise.all(underWay);
		},
		stop: async () => {
			stopping.abort();
			await Promise.all(underWay);
			await agent.close();
		},
	};
}
