import type { Settings } from '../store/settings';

/** Posts nothing more to an inbound URL whose receiver says that it is gone for good. */
export function removeWebhookUrl(settings: Settings, url: string): void {
	const { inbound_url, inbound_urls } = settings.read();
	if (inbound_url === url) settings.change({ inbound_url: null });
	if (inbound_urls.includes(url)) settings.change({ inbound_urls: inbound_urls.filter((one) => one !== url) });
}
