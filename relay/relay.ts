import { randomBytes } from 'node:crypto';
import { undiciTransport } from '../shared/transports/undici';
import { createChanges } from './changes';
import { createCipher, type Cipher } from './cipher';
import { DatabaseError, type Database } from './database/database';
import { startEngine } from './database/engine';
import { openMigrated } from './database/open';
import { startSweeping } from './database/sweep';
import { startFarewells } from './delivery/farewells';
import { FAN_OUT_QUEUE } from './delivery/queues';
import { createSend } from './delivery/send';
import { startWorkers } from './delivery/workers';
import { startMaintenance } from './events/retention';
import { createEventStore, type StoreEvent } from './events/store';
import { ensureOwnSubscriptions, type KeptForward } from './forward/ownSubscriptions';
import { createSessions, type Sessions } from './http/sessions';
import { createTokens, type Tokens } from './http/tokens';
import { ensureKey } from './key';
import { logProblem } from './log';
import { createMetrics } from './metrics';
import { createGateway, type Gateway } from './sends/gateway';
import type { Services } from './services';
import type { Settings } from './settings';
import { createSubscriptions, type Subscriptions } from './subscriptions/subscriptions';
import { createUrlPolicy } from './subscriptions/urlPolicy';

/** A relay with an open database. */
export interface Relay {
	readonly services: Services;
	readonly store: StoreEvent;
	readonly subscriptions: Subscriptions;
	readonly tokens: Tokens;
	readonly sessions: Sessions;
	readonly gateway: Gateway;
	readonly ingestSecret: string;
	/** Whether the secret was made now. Only then it is printed. */
	readonly ingestSecretIsNew: boolean;
	/** The first admin token, if it was created now. It cannot be read again. */
	readonly firstToken: string | undefined;
	/** Forwards that continue although their variables are absent. */
	readonly keptForwards: readonly KeptForward[];
	/** Ends workers, after requests in flight have ended. */
	close(): Promise<void>;
}

/** How long requests in flight may take at the end, in milliseconds. */
const SHUTDOWN_MS = 15_000;

/**
 * Opens the database and starts the relay's work.
 * @param url the address that the relay listens on
 * @throws DatabaseError if the database or the encryption key cannot be used
 */
export async function openRelay(settings: Settings, url: string): Promise<Relay> {
	const database = await openMigrated(settings.database, settings.waits.statement);
	try {
		return await start(settings, database, url);
	} catch (error) {
		await database.close();
		throw error;
	}
}

async function start(settings: Settings, database: Database, url: string): Promise<Relay> {
	const cipher = createCipher(settings.key === '' ? ensureKey(settings.folder) : settings.key);
	// Before the engine starts, because its timers would keep a process with a wrong key running.
	const { secret: ingestSecret, isNew: ingestSecretIsNew } = await sharedSecret(
		database,
		cipher,
		settings.ingestSecret,
	);
	const engine = await startEngine(database, settings.waits, (error) =>
		logProblem('The queue had a problem and continues', error),
	);
	try {
		return await startWith({ url, settings, database, cipher, engine, ingestSecret, ingestSecretIsNew });
	} catch (error) {
		// Its timers would keep the process running.
		await engine.stop(0);
		throw error;
	}
}

async function startWith({
	url,
	settings,
	database,
	cipher,
	engine,
	ingestSecret,
	ingestSecretIsNew,
}: Pick<Services, 'settings' | 'database' | 'cipher' | 'engine'> &
	Pick<Relay, 'ingestSecret' | 'ingestSecretIsNew'> & { readonly url: string }): Promise<Relay> {
	const changes = createChanges();
	const services: Services = { database, engine, cipher, changes, metrics: createMetrics(), settings };
	const tokens = createTokens({ database, changes });
	const firstToken = await ensureFirstToken(tokens, settings);
	const policy = createUrlPolicy(settings.allow);
	const store = createEventStore(services);
	await engine.createQueue(FAN_OUT_QUEUE);
	const keptForwards = await ensureOwnSubscriptions(services);
	const gateway = await createGateway(services);
	const { send, close: closeSend } = createSend(policy, undiciTransport(), settings.waits.response);
	const works = settings.role !== 'web';
	const endMaintenance = works ? await startMaintenance(services) : undefined;
	const workers = works ? await startWorkers(services, send) : undefined;
	const endFarewells = works ? startFarewells(services, policy) : undefined;
	const endSweeping = startSweeping(
		database,
		() => changes.count(),
		(error) => logProblem('A sweep failed', error),
	);
	return {
		services,
		store,
		subscriptions: createSubscriptions(services, policy, url),
		tokens,
		sessions: createSessions(database),
		gateway,
		ingestSecret,
		ingestSecretIsNew,
		firstToken,
		keptForwards,
		async close() {
			endMaintenance?.();
			endSweeping();
			workers?.stop();
			await endFarewells?.();
			await gateway.close();
			await engine.stop(SHUTDOWN_MS);
			await closeSend();
			await database.close();
		},
	};
}

/** The secret of the ingest URL, the same for all processes. It also shows whether the encryption key is the right one. */
async function sharedSecret(
	database: Database,
	cipher: Cipher,
	given: string,
): Promise<{ secret: string; isNew: boolean }> {
	const fresh = given === '' ? randomBytes(24).toString('base64url') : given;
	const made = await database.query(
		`insert into relay.setting (name, value) values ('ingest_secret', $1) on conflict (name) do nothing returning name`,
		[cipher.seal(fresh)],
	);
	const [row] = await database.query<{ value: string }>(`select value from relay.setting where name = 'ingest_secret'`);
	const known = openSecret(cipher, row?.value ?? '');
	if (given === '' || given === known) return { secret: known, isNew: given === '' && made.length > 0 };
	await database.query(`update relay.setting set value = $1 where name = 'ingest_secret'`, [cipher.seal(given)]);
	return { secret: given, isNew: false };
}

function openSecret(cipher: Cipher, sealed: string): string {
	try {
		return cipher.open(sealed);
	} catch {
		throw new DatabaseError(
			'The encryption key is not the one that this database was created with. Set RELAY_KEY to that key, or restore the key file of the folder.',
		);
	}
}

/** A worker creates no token, because it does not print one. */
async function ensureFirstToken(tokens: Tokens, { token, role }: Settings): Promise<string | undefined> {
	if (role === 'worker') return undefined;
	if (token === '') return await tokens.createFirst();
	// The relay starts all the same, because events must not be lost over it.
	if (!(await tokens.ensureAdmin(token))) logProblem('RELAY_TOKEN is revoked. Set another one, or remove it');
	return undefined;
}
