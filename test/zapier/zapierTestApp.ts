import { createRequire } from 'node:module';
import { join } from 'node:path';
import { z } from 'zod/v4';
import { app } from '../../zapier/app';

const zapierRequire = createRequire(join(__dirname, '..', '..', 'zapier', 'package.json'));
const { createAppHandler } = z
	.object({ createAppHandler: z.custom<(app: object) => Handler>((value) => typeof value === 'function') })
	.parse(zapierRequire('zapier-platform-core'));
// After 250 runs, the core exits if the process uses more than 450 MB. A test process may, and all its tests would
// fail.
const limits = z.custom<{ KILL_MAX_LIMIT: number }>(
	(value) => z.looseObject({ KILL_MAX_LIMIT: z.number() }).safeParse(value).success,
);
limits.parse(zapierRequire('zapier-platform-core/src/constants')).KILL_MAX_LIMIT = Number.MAX_VALUE;

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
}

/** Other data of Zapier's servers in an event. */
export interface Surroundings {
	/** Address of the store behind `z.cache`. Without it, nothing can be stored. */
	readonly rpc_base?: string;
	/** Overrides for `bundle.meta`. */
	readonly meta?: Readonly<Record<string, unknown>>;
	/** The fields as the Zap stores them, with `{{...}}` for mapped values. By default the same as the inputs. */
	readonly raw?: Readonly<Record<string, unknown>>;
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
	{ rpc_base, meta: otherwise, raw = inputData, outputLimit }: Surroundings = {},
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
	const bundle = { authData, inputData, inputDataRaw: raw, meta };
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

const perform = (kind: 'creates' | 'searches' | 'triggers', key: string) => `${kind}.${key}.operation.perform`;

/** Paths of the app's methods, as in an event. */
export const methods = {
	test: 'authentication.test',
	sendSms: perform('creates', 'send_sms'),
	sendBulkSms: perform('creates', 'send_bulk_sms'),
	sendWhatsappMessage: perform('creates', 'send_whatsapp_message'),
	sendEmail: perform('creates', 'send_email'),
	makeVoiceCall: perform('creates', 'make_voice_call'),
	sendVerificationCode: perform('creates', 'send_verification_code'),
	checkVerificationCode: perform('creates', 'check_verification_code'),
	createContact: perform('creates', 'create_contact'),
	createWalletTopUp: perform('creates', 'create_wallet_top_up'),
	findMessage: perform('searches', 'find_message'),
	lookUpPhoneNumber: perform('searches', 'look_up_phone_number'),
	findWalletBalance: perform('searches', 'find_wallet_balance'),
	findWalletTopUp: perform('searches', 'find_wallet_top_up'),
	findContact: perform('searches', 'find_contact'),
	estimateSmsCost: perform('searches', 'estimate_sms_cost'),
	lowWalletBalance: perform('triggers', 'low_wallet_balance'),
	newWalletTransaction: perform('triggers', 'new_wallet_transaction'),
	newContact: perform('triggers', 'new_contact'),
	senderIds: perform('triggers', 'sender_ids'),
	contacts: perform('triggers', 'contacts'),
};

function readFailure(error: unknown): ZapierFailure {
	if (!(error instanceof Error)) throw error;
	// These errors carry JSON. To the others, the core appends a log of its steps.
	if (['AppError', 'ThrottledError'].includes(error.name))
		return { name: error.name, ...words.parse(JSON.parse(error.message)) };
	return { name: error.name, message: error.message.split('\nWhat happened:')[0] ?? '' };
}
