import { Hono } from 'hono';
import { z } from 'zod/v4';
import type { HonoEnv } from '../http/env';
import { parseInput } from '../http/parse';
import { toCurrency } from '../store/money';
import { wholeNumber } from './input';
import type { ControlServices } from './services';

const input = z.object({
	by: z.enum(['hour', 'day'], 'is neither hour nor day').default('hour'),
	count: wholeNumber.refine((count) => count >= 1 && count <= 400, 'is not between 1 and 400').default(24),
});
/** In hours. */
const WIDTHS = { hour: 1, day: 24 } as const;
const HOUR_MS = 3_600_000;

/**
 * `GET overview?by=hour|day&count`: balance, credits, message counts by status and channel, and a series of the last
 * hours or days with messages and spend. `spent` is charges minus refunds.
 */
export function overviewRoutes({ store, clock }: ControlServices): Hono<HonoEnv> {
	const routes = new Hono<HonoEnv>();
	routes.get('/overview', (c) => c.json(readOverview({ store, clock }, parseInput(input, c.req.query()))));
	return routes;
}

/** The state of the account, and its last hours or days. */
export type Overview = ReturnType<typeof readOverview>;

function readOverview(
	{ store, clock }: Pick<ControlServices, 'store' | 'clock'>,
	{ by, count }: z.output<typeof input>,
) {
	const hours = WIDTHS[by];
	const width = hours * HOUR_MS;
	const last = Math.floor(clock.now() / width);
	const first = last - count + 1;
	const sent = new Map(store.statistics.messages(hours, first * width).map(({ slot, total }) => [slot, total]));
	const spent = new Map(store.statistics.spent(hours, first * width).map(({ slot, total }) => [slot, total]));
	const { balance, currency } = store.wallet.read();
	return {
		balance: toCurrency(balance),
		currency,
		package_credits: store.packages.list().reduce((sum, { credits_left }) => sum + credits_left, 0),
		messages: store.statistics.byStatus(),
		channels: store.statistics.byChannel(),
		inbox: store.statistics.inbox(),
		opt_outs: store.statistics.optOuts(),
		series: Array.from({ length: count }, (_none, index) => ({
			from: new Date((first + index) * width).toISOString(),
			messages: sent.get(first + index) ?? 0,
			spent: toCurrency(spent.get(first + index) ?? 0),
		})),
	};
}
