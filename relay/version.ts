import { version } from './package.json';

/** The version of the relay. */
export const RELAY_VERSION = version;
