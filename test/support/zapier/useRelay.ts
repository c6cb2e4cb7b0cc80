import { stubRelay, type StubRelay } from './stubRelay';
import { driveApp, type Account, type Surroundings } from './zapierTestApp';

/** The relay of each test, and the account that is connected to it. */
export interface UsedRelay {
	readonly relay: StubRelay;
	/** The account, with the relay of the current test. */
	readonly account: () => Account;
	/** Runs a method of an instant trigger. @param more overrides for the account */
	readonly drive: (hook?: Surroundings['hook'], more?: Account, meta?: Surroundings['meta']) => TriggerMethods;
}

type Run<Result> = (trigger: string, method: string, inputs?: Readonly<Record<string, unknown>>) => Promise<Result>;

/** The methods of a trigger, by key and name such as `performList`. */
interface TriggerMethods {
	readonly run: Run<unknown>;
	/** Runs a method that must fail. */
	readonly failure: Run<Awaited<ReturnType<ReturnType<typeof driveApp>['failure']>>>;
}

/**
 * Starts a relay before each test of the calling file, and stops it after the test. Call it at the top of the file.
 * @param service the account without a relay
 */
export function useRelay(service: () => Account): UsedRelay {
	let relay: StubRelay | undefined;
	const running = () => {
		if (!relay) throw new Error('the relay starts with the test');
		return relay;
	};
	beforeEach(async () => {
		relay = await stubRelay();
	});
	afterEach(async () => await relay?.[Symbol.asyncDispose]());
	const account = () => ({ ...service(), relay_url: running().url, relay_token: running().token });
	return {
		get relay() {
			return running();
		},
		account,
		drive: (hook, more, meta) => {
			const app = driveApp({ ...account(), ...more }, { hook, meta });
			const at = (trigger: string, method: string) => `triggers.${trigger}.operation.${method}`;
			return {
				run: async (trigger, method, inputs) => await app.run(at(trigger, method), inputs),
				failure: async (trigger, method, inputs) => await app.failure(at(trigger, method), inputs),
			};
		},
	};
}
