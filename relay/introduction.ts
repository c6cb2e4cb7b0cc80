import { comparableOrigin } from './ownAddress';
import type { Relay } from './relay';
import { apiUrl } from './sends/service';
import type { Settings } from './settings';
import { RELAY_VERSION } from './version';

/**
 * The text at the start of a relay: its address, and what to paste where. Secrets are shown once, because output is often
 * kept.
 * @param url the address that it listens on, without a slash at the end
 */
export function introduction(
	url: string,
	settings: Settings,
	relay: Pick<Relay, 'ingestSecret' | 'ingestSecretIsNew' | 'firstToken' | 'keptForwards'>,
): string {
	const { publicUrl, database, folder } = settings;
	const { ingestSecret, ingestSecretIsNew, firstToken } = relay;
	const reachable = publicUrl === '' ? url : publicUrl;
	const ingest = `${reachable}/in/${ingestSecretIsNew ? ingestSecret : '<secret>'}`;
	return `Messaging Service Relay ${RELAY_VERSION}

  Address       ${url}
  Page          ${url}/
  Data          ${database === folder ? folder : 'PostgreSQL'}

Paste into the dashboard of the service:
  Callback URL  ${ingest}
Paste at your SMS gateway and your WhatsApp provider:
  Inbound SMS   ${ingest}/sms
  WhatsApp      ${ingest}/whatsapp
Enter in n8n (credential Messaging Service Relay API) and in the connection of Zapier:
  Relay URL     ${reachable}
  Relay Token   create one for n8n and one for Zapier on the page
${firstToken === undefined ? '' : `Log in to the page with this token, which is shown only now:\n  Admin Token   ${firstToken}\n`}
${notes(url, relay, settings).join('\n')}
`;
}

function notes(
	url: string,
	{ ingestSecretIsNew, keptForwards }: Pick<Relay, 'ingestSecretIsNew' | 'keptForwards'>,
	{ publicUrl, serviceUrl, offForwards }: Settings,
): string[] {
	const isKept = keptForwards.some(({ variable }) => variable === 'RELAY_SERVICE_URL');
	const state = offForwards.includes('sms') ? 'off' : 'not set';
	return [
		...(ingestSecretIsNew ? [] : ['The page shows the secret of the URLs.']),
		...(publicUrl === ''
			? ['RELAY_PUBLIC_URL is not set. The service and Zapier need an https address that they can reach.']
			: []),
		...keptForwards.map(
			({ variable, off, what, origin }) =>
				`WARNING: ${variable} is not set. ${what} still forwarded to ${origin}. Set it again, or set it to ${off} to end this.`,
		),
		...(isKept
			? []
			: [
					serviceUrl === ''
						? `RELAY_SERVICE_URL is ${state}. The service does not see a STOP that arrives here.`
						: isOwnAddress(serviceUrl, [url, publicUrl])
							? 'WARNING: RELAY_SERVICE_URL is an address of this relay. No call and no STOP reaches the service. Set it to the base URL of the service.'
							: `Inbound SMS are forwarded to ${new URL(serviceUrl).origin}, so the service sees each STOP.`,
				]),
	];
}

/** @param own addresses of the relay; '' if one is not set */
function isOwnAddress(serviceUrl: string, own: readonly string[]): boolean {
	const address = (text: string) => `${comparableOrigin(text)}${new URL(apiUrl(text)).pathname}`;
	return own.some((one) => one !== '' && address(one) === address(serviceUrl));
}
