import { sendListSchema, type Send, type Settle } from '../../../relay/sends/schema';
import type { Relay } from '../relay/relay';
import { API_CREDENTIAL, queueApi } from './n8nQueue';
import { readAccount } from './queueSetup';

/**
 * Creates a credential whose Base URL is a relay.
 * @returns its ID
 */
export async function createRelayedCredential({ url }: Pick<Relay, 'url'>): Promise<string> {
	const { data: direct } = readAccount().credentials[API_CREDENTIAL] ?? {};
	const data = { ...direct, baseUrl: `${url}/api/v1/`, baseUrlIsRelay: true };
	const credential = { name: 'Through the relay', type: API_CREDENTIAL, data };
	return (await queueApi().call<{ id: string }>('POST', '/credentials', credential)).id;
}

/** Lists all sends of a state, newest first. */
export async function listSends(relay: Pick<Relay, 'api'>, state: Send['state'], before?: string): Promise<Send[]> {
	const query = `state=${state}&limit=100${before === undefined ? '' : `&before=${before}`}`;
	const { data, has_more } = sendListSchema.parse(await (await relay.api('GET', `/v1/sends?${query}`)).json());
	return has_more ? [...data, ...(await listSends(relay, state, data.at(-1)?.id))] : data;
}

/** Settles an unknown send, as a person does. */
export async function settleSend(relay: Pick<Relay, 'api'>, id: string, settle: Settle): Promise<void> {
	const response = await relay.api('POST', `/v1/sends/${id}/settle`, settle);
	if (!response.ok) throw new Error(`The relay responded ${response.status}: ${await response.text()}`);
}
