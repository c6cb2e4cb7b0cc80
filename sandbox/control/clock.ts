import { Hono } from 'hono';
import { z } from 'zod/v4';
import type { HonoEnv } from '../http/env';
import type { Clock } from '../simulation/clock';
import { HttpError } from '../http/httpError';
import { readBodyAs } from './input';
import type { ControlServices } from './services';

const YEAR_MS = 31_536_000_000;
const advanceInput = z.strictObject({
	milliseconds: z.int('is not a whole number').min(0, 'is below 0').max(YEAR_MS, 'is more than a year'),
});
const setInput = z.strictObject({ now: z.iso.datetime({ offset: true, error: 'is not a time as ISO 8601' }) });

/**
 * `GET clock` · `POST clock/advance {milliseconds}` · `POST clock/set {now}`, forward only · `POST clock/freeze` ·
 * `POST clock/run`. The response comes once all work that is now due is done. `POST settle` also waits for webhooks in
 * flight.
 */
export function clockRoutes({ store, clock, work, settle }: ControlServices): Hono<HonoEnv> {
	const routes = new Hono<HonoEnv>();
	const read = () => readClock(clock);
	async function move(milliseconds: number) {
		store.settings.saveClock({ ahead: clock.ahead() + milliseconds, stoppedAt: clock.stoppedAt() });
		clock.advance(milliseconds);
		await work.settle();
		store.changes.emit('clock');
		// The phones show which day is today.
		store.changes.phone();
		return read();
	}
	routes.get('/clock', (c) => c.json(read()));
	routes.post('/clock/advance', async (c) => c.json(await move((await readBodyAs(c, advanceInput)).milliseconds)));
	routes.post('/clock/set', async (c) => {
		const milliseconds = Date.parse((await readBodyAs(c, setInput)).now) - clock.now();
		if (milliseconds < 0)
			throw new HttpError(422, 'validation', 'now is in the past of the clock. The clock only moves forward.');
		return c.json(await move(milliseconds));
	});
	for (const [path, running] of [
		['/clock/freeze', false],
		['/clock/run', true],
	] as const) {
		routes.post(path, (c) => {
			clock.run(running);
			store.settings.saveClock({ ahead: clock.ahead(), stoppedAt: clock.stoppedAt() });
			store.changes.emit('clock');
			return c.json(read());
		});
	}
	routes.post('/settle', async (c) => {
		await settle();
		return c.json(read());
	});
	return routes;
}

/** The state of the clock. */
export type ClockState = ReturnType<typeof readClock>;

function readClock(clock: Clock) {
	return {
		now: new Date(clock.now()).toISOString(),
		ahead_milliseconds: clock.ahead(),
		running: clock.running(),
	};
}
