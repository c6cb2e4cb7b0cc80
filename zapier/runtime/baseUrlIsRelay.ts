import type { Bundle } from 'zapier-platform-core';
import { toBoolean } from './inputs';

/** Key of the connection's switch. */
export const BASE_URL_IS_RELAY = 'base_url_is_relay';

/** Names the switch, if no relay was found at the base URL. */
export const WHICH_SWITCH = 'The switch is Base URL Is a Relay in the connection.';

/**
 * Whether the Base URL of a connection is the address of a relay, which sends each message once (docs/relay.md#sends-once).
 * Only the user's own switch says so. Without it, the service would get a header that it does not know.
 */
export function isBaseUrlRelay(authData: Bundle['authData']): boolean {
	return toBoolean(authData[BASE_URL_IS_RELAY]);
}
