import { Hono } from 'hono';
import { z } from 'zod/v4';
import type { contract } from '../../shared/contract';
import { checkOut, checkoutChoice } from '../checkout/checkOut';
import { toTransaction, wallet } from '../handlers/wallet';
import { readJson } from '../http/body';
import type { HonoEnv } from '../http/env';
import { parseInput } from '../http/parse';
import { HttpError } from '../http/httpError';
import { toTimestamp } from '../http/timestamp';
import { toCurrency, toUnits } from '../store/money';
import type { Package } from '../store/packages';
import { awaitsApproval, type TopUp } from '../store/topUps';
import { orNotFound, MAX_ITEMS, pageInput, readBodyAs, searchText, sendPage } from './input';
import type { ControlServices } from './services';

const transactionFilter = pageInput.extend({ type: z.string().optional(), search: searchText });
const adjustment = z.strictObject({
	amount: z
		.number('is not a number')
		.min(-1_000_000, 'is below -1000000')
		.max(1_000_000, 'is above 1000000')
		.multipleOf(0.0001, 'has more than 4 decimals'),
	description: z.string().trim().min(1, 'is empty').default('Adjustment'),
});

const newPackage = z.strictObject({
	name: z.string().trim().min(1, 'is empty').default('SMS package'),
	credits: z.int('is not a whole number').min(1, 'is below 1').max(10_000_000, 'is above 10000000'),
});

/**
 * `GET wallet` · `POST wallet/adjust {amount, description?}` · `GET transactions?type&search&limit&offset` · `GET packages` · `POST
 * packages {name?, credits}` · `GET top-ups` · `POST top-ups {amount, return_url?}`, same as the API · `POST
 * top-ups/:reference/checkout {action, method?}`.
 */
export function walletRoutes(services: ControlServices): Hono<HonoEnv> {
	const { store, clock } = services;
	const routes = new Hono<HonoEnv>();
	const read = (): Balance => {
		const { balance, currency } = store.wallet.read();
		return { balance: toCurrency(balance), currency };
	};
	routes.get('/wallet', (c) => c.json({ ...read(), transactions: store.wallet.page(MAX_ITEMS, 0).map(toTransaction) }));
	routes.post('/wallet/adjust', async (c) => {
		const { amount, description } = await readBodyAs(c, adjustment);
		if (store.wallet.adjust(toUnits(amount), description, clock.now()) === undefined) {
			throw new HttpError(422, 'validation', 'amount would make the balance negative.');
		}
		return c.json(read());
	});
	routes.get('/transactions', (c) => {
		const { limit, offset, ...filter } = parseInput(transactionFilter, c.req.query());
		return sendPage(c, store.wallet.page(limit, offset, filter).map(toTransaction), store.wallet.count(filter));
	});
	routes.get('/packages', (c) => c.json(store.packages.list().map(toPackage)));
	routes.post('/packages', async (c) => {
		const added = await readBodyAs(c, newPackage);
		return c.json(toPackage(store.packages.add({ ...added, created_at: clock.now() })), 201);
	});
	routes.post('/top-ups', async (c) =>
		c.json(await wallet.createTopUp.handle(await readJson(c.env.incoming), services), 201),
	);
	routes.get('/top-ups', (c) => c.json(store.topUps.list().map(toTopUp)));
	routes.post('/top-ups/:reference/checkout', async (c) => {
		const choice = await readBodyAs(c, checkoutChoice);
		const reference = c.req.param('reference');
		return c.json(toTopUp(orNotFound(checkOut({ store, clock }, reference, choice), `top-up ${reference}`)));
	});
	return routes;
}

/** A transaction as the control routes return it. */
export type TransactionRow = ReturnType<typeof toTransaction>;

/** An SMS package as the control routes return it. */
export type PackageRow = ReturnType<typeof toPackage>;

/** A top-up as the control routes return it. */
export type TopUpRow = ReturnType<typeof toTopUp>;

/** A new top-up, with the link to its checkout: the response of the API. */
export type NewTopUp = z.output<typeof contract.wallet.createTopUp.output>;

/** The balance, in currency units. */
export interface Balance {
	readonly balance: number;
	readonly currency: string;
}

function toPackage({ created_at, ...fields }: Package) {
	return { ...fields, created_at: toTimestamp(created_at) };
}

function toTopUp(topUp: TopUp) {
	const { reference, amount, fee, status, method, return_url, created_at } = topUp;
	return {
		reference,
		amount: toCurrency(amount),
		fee: toCurrency(fee),
		status,
		method,
		/** Whether the prompt of a payment by mobile money never came. */
		awaits_approval: awaitsApproval(topUp),
		return_url,
		created_at: toTimestamp(created_at),
	};
}
