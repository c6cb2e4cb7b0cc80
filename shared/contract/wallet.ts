import { z } from 'zod/v4';
import { balanceNames } from './charges';
import { endpoint } from './endpoint';
import { identifier, money, plainText, returnUrl, topUpReference } from './fields';
import { isObject } from './find';
import { listOf, readRow } from './rows';

/** Other places of a balance, where it is the result. */
const balanceAliases = {
	balance: [...balanceNames, 'wallet', 'available', 'amount', 'data'],
	currency: [
		'currency_code',
		'currencyCode',
		'wallet_currency',
		'balance.currency',
		'balance.currency_code',
		'wallet.currency',
		'wallet.currency_code',
		'wallet.balance.currency',
		'account.currency',
		'account.currency_code',
	],
};

const transactionFields = {
	id: identifier.nullish(),
	type: plainText.nullish(),
	amount: money.nullish(),
	balance: money.nullish(),
	created_at: plainText.nullish(),
};

const transactionAliases = {
	id: ['transaction_id', 'uuid', '_id', 'txn_id', 'trx_id'],
	type: ['transaction_type', 'kind'],
	amount: ['transaction_amount', 'value', 'amount.value', 'amount.amount'],
	balance: ['balance_after', 'new_balance', 'closing_balance', 'running_balance', 'wallet_balance', 'balance.after'],
	created_at: ['created', 'created_on', 'created_at.date', 'transaction_date', 'date', 'datetime', 'timestamp', 'time'],
};

/**
 * A wallet transaction. Its fields are undocumented (docs/api.md#list-wallet-transactions), so the usual names are tried.
 */
const transaction = z.looseObject(transactionFields);

/** Maximum number of rows in one response (docs/api.md#limits). */
export const MAX_TRANSACTIONS = 100;

/** Endpoints of the wallet (docs/api.md#wallet). */
export const wallet = {
	/** Gets the wallet balance: GET /balance (docs/api.md#get-the-balance). Its response is undocumented. */
	getBalance: endpoint({
		id: 'wallet.getBalance',
		method: 'GET',
		path: '/balance',
		summary: 'Get the wallet balance of the owner of the key',
		input: z.object({}),
		output: z.looseObject({ balance: money, currency: z.string().nullish() }),
		response: { kind: 'record', aliases: balanceAliases },
		repeat: 'safe',
		charges: false,
		errors: [],
		example: { input: {}, output: { balance: 40, currency: 'GHS' } },
	}),

	/** Creates a top-up with a checkout link: POST /wallet/topup (docs/api.md#create-a-top-up). */
	createTopUp: endpoint({
		id: 'wallet.createTopUp',
		method: 'POST',
		path: '/wallet/topup',
		summary: 'Create a top-up with a link to a hosted checkout',
		input: z.object({
			amount: z
				.number({ error: 'is not a number: give the amount to add in the currency of the wallet, e.g. 50' })
				.positive('is not above zero: give the amount to add in the currency of the wallet, e.g. 50')
				.describe('Amount to add, in the currency of the wallet'),
			return_url: returnUrl.optional(),
		}),
		output: z.looseObject({
			success: z.boolean().optional(),
			reference: identifier,
			checkout_url: z.string(),
			currency: z.string().nullish(),
			amount_credit: money.nullish(),
			fee: money.nullish(),
			fee_rate: money.nullish(),
			total_wallet: money.nullish(),
			total_charged_ghs: money.nullish(),
			status: z.string().nullish(),
		}),
		response: { kind: 'record', aliases: { reference: ['topup_reference'], checkout_url: ['checkout.url'] } },
		repeat: 'once',
		charges: false,
		errors: ['validation'],
		hints: {
			doubt: 'It is unknown whether the link was created',
			unknown:
				'A link may have been created, but nothing is charged until someone opens it and pays. You can create another one.',
			accepted:
				'The link was created, but nothing is charged until someone opens it and pays. You can create another one.',
		},
		example: {
			input: { amount: 50, return_url: 'https://shop.example/thanks' },
			output: {
				success: true,
				reference: 'top_0001',
				checkout_url: 'https://pay.example/top_0001',
				currency: 'GHS',
				amount_credit: 50,
				fee: 1,
				fee_rate: 0.02,
				total_wallet: 51,
				total_charged_ghs: 51,
				status: 'pending',
			},
		},
	}),

	/** Gets the status of a top-up: GET /wallet/topup/{reference} (docs/api.md#get-a-top-up). */
	getTopUp: endpoint({
		id: 'wallet.getTopUp',
		method: 'GET',
		path: '/wallet/topup/{reference}',
		summary: 'Get the status of a top-up',
		input: z.object({ reference: topUpReference }),
		output: z.looseObject({
			success: z.boolean().optional(),
			reference: identifier.nullish(),
			status: z.string(),
			amount: money.nullish(),
			type: z.string().nullish(),
			gateway: z.string().nullish(),
			balance: money.nullish(),
			currency: z.string().nullish(),
			created_at: z.string().nullish(),
		}),
		response: { kind: 'record' },
		repeat: 'safe',
		charges: false,
		errors: ['not_found'],
		example: {
			input: { reference: 'top_0001' },
			output: {
				success: true,
				reference: 'top_0001',
				status: 'completed',
				amount: 50,
				type: 'topup',
				gateway: 'sandbox',
				balance: 90,
				currency: 'GHS',
				created_at: '2026-11-20 12:00:00',
			},
		},
	}),

	/** Lists wallet transactions: GET /wallet/transactions (docs/api.md#list-wallet-transactions). */
	listTransactions: endpoint({
		id: 'wallet.listTransactions',
		method: 'GET',
		path: '/wallet/transactions',
		summary: 'List top-ups, debits, refunds and adjustments of the wallet',
		input: z.object({
			limit: z
				.number()
				.int('is not a whole number')
				.min(1, 'is below 1')
				.max(MAX_TRANSACTIONS, `is above ${MAX_TRANSACTIONS}, the maximum of one request`)
				.optional(),
			offset: z.number().int('is not a whole number').min(0, 'is below 0').optional(),
		}),
		output: listOf(transaction, (row) =>
			isObject(row) ? readRow(row, transactionFields, transactionAliases) : undefined,
		),
		response: { kind: 'list' },
		repeat: 'safe',
		charges: false,
		errors: [],
		example: {
			input: { limit: 50, offset: 0 },
			output: [{ id: '12', type: 'debit', amount: -0.05, balance: 39.95, created_at: '2026-11-20 12:00:00' }],
		},
	}),
} as const;
