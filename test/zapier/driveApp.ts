import { createRequire } from 'node:module';
import { join } from 'node:path';
import { z } from 'zod/v4';
import { app } from '../../zapier/app';

const zapierRequire = createRequire(join(__dirname, '..', '..', 'zapier', 'package.json'));
const { createAppHandler } = z
	.object({ createAppHandler: z.custom<(app: object) => Handler>((value) => typeof value === 'function') })
	.parse(zapierRequire('zapier-platform-core'));
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
	readonly header?: string;
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

/** The event with which Zapier's servers ask for something to be run. */
export function executeEvent(method: string, authData: Account, inputData: Readonly<Record<string, unknown>> = {}) {
	const meta = {
		isBulkRead: false,
		isFillingDynamicDropdown: method.startsWith('triggers.'),
		isLoadingSample: false,
		isPopulatingDedupe: false,
		isTestingAuth: method === 'authentication.test',
		limit: -1,
		page: 0,
		timezone: 'Africa/Accra',
		inputFields: {},
	};
	// With isDeveloper a result that Zapier could not use is an error instead of a line in a log.
	const bundle = { authData, inputData, inputDataRaw: inputData, meta };
	return { command: 'execute', method, isDeveloper: true, bundle };
}

/** Zapier's own handler around the app, which is what Zapier's servers call. */
export const handler = createAppHandler(app);

/** Runs parts of the app for one account. */
export function driveApp(account: Account) {
	const run = async (method: string, inputData?: Readonly<Record<string, unknown>>) =>
		(await handler(executeEvent(method, account, inputData))).results;
	const failure = async (method: string, inputData?: Readonly<Record<string, unknown>>) =>
		await run(method, inputData).then((results) => {
			throw new Error(`${method} gave ${JSON.stringify(results)}`);
		}, readFailure);
	return {
		run,
		/** The error that it ends in. */
		failure,
	};
}

/** Paths of what the app has, as an event names them. */
export const methods = {
	test: 'authentication.test',
	sendSms: 'creates.send_sms.operation.perform',
	findMessage: 'searches.find_message.operation.perform',
	senderIds: 'triggers.sender_ids.operation.perform',
};

function readFailure(error: unknown): ZapierFailure {
	if (!(error instanceof Error)) throw error;
	// Some of Zapier's errors carry JSON; to the others its core adds what it did before.
	if (error.message.startsWith('{')) return { name: error.name, ...words.parse(JSON.parse(error.message)) };
	return { name: error.name, message: error.message.split('\nWhat happened:')[0] ?? '' };
}
