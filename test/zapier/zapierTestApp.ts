import { createRequire } from 'node:module';
import { join } from 'node:path';
import { z } from 'zod/v4';
import { app } from '../../zapier/app';

const zapierRequire = createRequire(join(__dirname, '..', '..', 'zapier', 'package.json'));
const { createAppHandler } = z
	.object({ createAppHandler: z.custom<(app: object) => Handler>((value) => typeof value === 'function') })
	.parse(zapierRequire('zapier-platform-core'));
// After 250 runs the core ends a process that holds more than 450 MB, which one of Zapier's servers never does; a process
// of tests may, and would take the tests with it.
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

/** What a person filled in to connect an account. */
export interface Account {
	readonly base_url?: string;
	readonly api_key?: string;
	readonly account_name?: string;
	readonly header?: string;
}

/** What Zapier's servers tell beside what a person filled in. */
export interface Surroundings {
	/** Address of the store behind `z.cache`; without it nothing can be kept. */
	readonly rpc_base?: string;
	/** What is otherwise than usual in `bundle.meta`. */
	readonly meta?: Readonly<Record<string, unknown>>;
	/** What the fields hold in the Zap, before values are put in for `{{...}}`; the same as those unless given. */
	readonly raw?: Readonly<Record<string, unknown>>;
	/** Characters of output above which Zapier's core ends a step with an error; none unless given. */
	readonly outputLimit?: number;
}

/** An error as Zapier's servers get it. */
export interface ZapierFailure {
	/** Class of the error, which decides what Zapier does next. */
	readonly name: string;
	readonly message: string;
	readonly code?: string;
	readonly status?: number;
	/** Seconds after which Zapier is to try again. */
	readonly delay?: number | null;
}

/** How a step ended. */
export interface Ending {
	readonly results?: unknown;
	readonly failure?: ZapierFailure;
}

/** The event with which Zapier's servers ask for something to be run. */
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
	// With isDeveloper a result that Zapier could not use is an error instead of a line in a log.
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

/** Zapier's own handler around the app, which is what Zapier's servers call. */
export const handler = createAppHandler(app);

/** Runs parts of the app for one account. */
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
		/** The error that it ends in. */
		failure,
		/** However it ends. */
		attempt,
	};
}

const perform = (kind: 'creates' | 'searches' | 'triggers', key: string) => `${kind}.${key}.operation.perform`;

/** Paths of what the app has, as an event names them. */
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
	// These of Zapier's errors carry JSON; to the others its core adds what it did before.
	if (['AppError', 'ThrottledError'].includes(error.name))
		return { name: error.name, ...words.parse(JSON.parse(error.message)) };
	return { name: error.name, message: error.message.split('\nWhat happened:')[0] ?? '' };
}
