import type { Changes } from './changes';
import type { Cipher } from './cipher';
import type { Database } from './database/database';
import type { Engine } from './database/engine';
import type { Metrics } from './metrics';
import type { Settings } from './settings';

/** Whatever all parts of a relay share. */
export interface Services {
	readonly database: Database;
	readonly engine: Engine;
	readonly cipher: Cipher;
	readonly changes: Changes;
	readonly metrics: Metrics;
	readonly settings: Settings;
}
