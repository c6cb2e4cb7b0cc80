import type { Settings } from '../store/settings';

/** Removes an inbound URL from the settings after its receiver responded with 410. */
export function removeWebhookUrl(settings: Settings, url: string): void {
	const { inbound_url, inbound_urls } = settings.read();
	if (inbound_url === url) settings.change({ inbound_url: null });
	if (inbound_urls.includes(url)) settings.change({ inbound_urls: inbound_urls.filter((one) => one !== url) });
}
