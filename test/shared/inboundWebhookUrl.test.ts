import { inboundWebhookUrl } from '../../shared';

it('gives the inbound webhook of a service at a private address only if plain http to it is allowed', () => {
	const baseUrl = 'http://192.168.1.20:8080/api/v1/';
	expect(inboundWebhookUrl(baseUrl, 'sk_live_1')).toBeUndefined();
	expect(inboundWebhookUrl(baseUrl, 'sk_live_1', 'sms', { privateOverHttp: true })).toBe(
		'http://192.168.1.20:8080/webhooks/inbound/sms',
	);
});
