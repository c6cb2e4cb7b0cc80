import { version } from '../package.json';

/** The version of the relay. It is that of the whole project, because all packages are released together. */
export const RELAY_VERSION = version;
