import type { Relay } from './relay';
import type { Settings } from './settings';
import { RELAY_VERSION } from './version';

/**
 * The text at the start of a relay: its address, and what to paste where. Secrets are shown once, because output is often
 * kept.
 * @param url the address that it listens on, without a slash at the end
 */
export function introduction(
	url: string,
	{ publicUrl, serviceUrl, database, folder }: Settings,
	{ ingestSecret, ingestSecretIsNew, firstToken }: Pick<Relay, 'ingestSecret' | 'ingestSecretIsNew' | 'firstToken'>,
): string {
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
${notes({ ingestSecretIsNew, publicUrl, serviceUrl }).join('\n')}
`;
}

function notes({
	ingestSecretIsNew,
	publicUrl,
	serviceUrl,
}: Pick<Relay, 'ingestSecretIsNew'> & Pick<Settings, 'publicUrl' | 'serviceUrl'>): string[] {
	return [
		...(ingestSecretIsNew ? [] : ['The page shows the secret of the URLs.']),
		...(publicUrl === ''
			? ['RELAY_PUBLIC_URL is not set. The service and Zapier need an https address that they can reach.']
			: []),
		serviceUrl === ''
			? 'RELAY_SERVICE_URL is not set. The service does not see a STOP that arrives here.'
			: `Inbound SMS are forwarded to ${new URL(serviceUrl).origin}, so the service sees each STOP.`,
	];
}
