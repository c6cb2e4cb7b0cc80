import http from 'node:http';
import https from 'node:https';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { z } from 'zod/v4';
import { app } from '../../../zapier/app';

const zapierRequire = createRequire(join(__dirname, '..', '..', '..', 'zapier', 'package.json'));
const { createAppHandler } = z
	.object({ createAppHandler: z.custom<(app: object) => Handler>((value) => typeof value === 'function') })
	.parse(zapierRequire('zapier-platform-core'));
// After 250 runs, the core exits if the process uses more than 450 MB. A test process may, and all its tests would
// fail.
const limits = z.custom<{ KILL_MAX_LIMIT: number }>(
	(value) => z.looseObject({ KILL_MAX_LIMIT: z.number() }).safeParse(value).success,
);
limits.parse(zapierRequire('zapier-platform-core/src/constants')).KILL_MAX_LIMIT = Number.MAX_VALUE;

// The core replaces `request` of these modules with a function of fewer parameters, to log requests. Jest shares the modules
// among all test files of a process, so later files would lose the headers and the responses of their requests.
const changed = [http, https].map((nodeModule) => ({ nodeModule, request: nodeModule.request }));
function restoreModules(): void {
	for (const { nodeModule, request } of changed) {
		Object.assign(nodeModule, { request });
		Reflect.deleteProperty(nodeModule, 'patchedByZapier');
	}
}
// A process without Jest has no later files.
if ('afterAll' in globalThis) afterAll(restoreModules);

const words = z.object({
	message: z.string(),
	code: z.string().optional(),
	status: z.number().optional(),
	delay: z.number().nullish(),
});

type Handler = (event: Readonly<Record<string, unknown>>) => Promise<{ results: unknown }>;

/** The connection fields. */
export interface Account {
	readonly base_url?: string;
	readonly api_key?: string;
	readonly account_name?: string;
	readonly header?: string;
	readonly base_url_is_relay?: string | boolean;
	readonly relay_url?: string;
	readonly relay_token?: string;
}

/** Other data of Zapier's servers in an event. */
export interface Surroundings {
	/** Address of the store behind `z.cache`. Without it, nothing can be stored. */
	readonly rpc_base?: string;
	/** Overrides for `bundle.meta`. */
	readonly meta?: Readonly<Record<string, unknown>>;
	/** The fields as the Zap stores them, with `{{...}}` for mapped values. By default the same as the inputs. */
	readonly raw?: Readonly<Record<string, unknown>>;
	/** The parts of a bundle that only triggers with subscriptions get. */
	readonly hook?: {
		/** URL of the Zap, for `performSubscribe`. */
		readonly targetUrl?: string;
		/** Result of `performSubscribe`. */
		readonly subscribeData?: unknown;
		/** The request to the Zap's URL, with the names that Zapier gives to headers. */
		readonly rawRequest?: { readonly headers: Readonly<Record<string, unknown>>; readonly content: string };
		/** Zapier's reading of the request's body. */
		readonly cleanedRequest?: unknown;
	};
	/** Longest output in characters before Zapier's core fails a step. No limit by default. */
	readonly outputLimit?: number;
}

/** An error as Zapier's servers receive it. */
export interface ZapierFailure {
	/** Error class, which decides what Zapier does next. */
	readonly name: string;
	readonly message: string;
	readonly code?: string;
	readonly status?: number;
	/** Delay before Zapier reruns the step, in seconds. */
	readonly delay?: number | null;
}

/** How a step ended. */
export interface Ending {
	readonly results?: unknown;
	readonly failure?: ZapierFailure;
}

/** The event with which Zapier's servers run a method. */
export function executeEvent(
	method: string,
	authData: Account,
	inputData: Readonly<Record<string, unknown>> = {},
	{ rpc_base, meta: otherwise, raw = inputData, hook, outputLimit }: Surroundings = {},
) {
	const meta = {
		isBulkRead: false,
		isFillingDynamicDropdown: false,
		isLoadingSample: false,
		isPopulatingDedupe: false,
		isTestingAuth: method === 'authentication.test',
		limit: -1,
		page: 0,
		timezone: 'Africa/Accra',
		inputFields: {},
		...otherwise,
	};
	// With isDeveloper, an invalid result is an error instead of a log line.
	const bundle = { authData, inputData, inputDataRaw: raw, meta, ...hook };
	return {
		command: 'execute',
		method,
		isDeveloper: true,
		bundle,
		...(rpc_base !== undefined && { rpc_base }),
		...(outputLimit !== undefined && { autostashPayloadOutputLimit: outputLimit }),
	};
}

/** Zapier's own handler around the app, which Zapier's servers call. */
export const handler = createAppHandler(app);

/** Runs methods of the app for one account. */
export function driveApp(account: Account, surroundings?: Surroundings) {
	const run = async (method: string, inputData?: Readonly<Record<string, unknown>>) =>
		(await handler(executeEvent(method, account, inputData, surroundings))).results;
	const failure = async (method: string, inputData?: Readonly<Record<string, unknown>>) =>
		await run(method, inputData).then((results) => {
			throw new Error(`${method} gave ${JSON.stringify(results)}`);
		}, readFailure);
	const attempt = async (method: string, inputData?: Readonly<Record<string, unknown>>): Promise<Ending> =>
		await run(method, inputData).then(
			(results) => ({ results }),
			(error: unknown) => ({ failure: readFailure(error) }),
		);
	return {
		run,
		/** Runs a method that must fail. Returns its error. */
		failure,
		/** Runs a method that may succeed or fail. */
		attempt,
	};
}

type CamelCase<Key extends string> = Key extends `${infer Head}_${infer Tail}`
	? `${Head}${Capitalize<CamelCase<Tail>>}`
	: Key;

const steps = { creates: app.creates, searches: app.searches, triggers: app.triggers };
type StepKey = { [Kind in keyof typeof steps]: keyof (typeof steps)[Kind] & string }[keyof typeof steps];

/** The key of a step in camel case, such as `sendSms`. */
export type MethodName = CamelCase<StepKey> | 'test';

/** The name in {@link methods} of a step with this key. */
export function methodName(key: string): string {
	return key.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

const performs = Object.entries(steps).flatMap(([kind, found]) =>
	Object.keys(found).map((key) => [methodName(key), `${kind}.${key}.operation.perform`] as const),
);

/** Paths of the app's methods, as in an event. */
export const methods = { test: 'authentication.test', ...Object.fromEntries(performs) } as Readonly<
	// CamelCase computes the same names as methodName.
	Record<MethodName, string>
>;

function readFailure(error: unknown): ZapierFailure {
	if (!(error instanceof Error)) throw error;
	// These errors carry JSON. To the others, the core appends a log of its steps.
	if (['AppError', 'ThrottledError'].includes(error.name))
		return { name: error.name, ...words.parse(JSON.parse(error.message)) };
	return { name: error.name, message: error.message.split('\nWhat happened:')[0] ?? '' };
}
