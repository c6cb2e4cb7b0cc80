/**
 * n8n looks once a minute for executions whose wait is over. `node --require soonOver.cjs` lets it look twice a second, so that
 * tests do not wait for the minute.
 */
globalThis.setInterval = new Proxy(globalThis.setInterval, {
	apply(setInterval, self, [callback, milliseconds, ...args]) {
		const isTracker = milliseconds === 60_000 && new Error().stack?.includes('wait-tracker');
		return Reflect.apply(setInterval, self, [callback, isTracker ? 500 : milliseconds, ...args]);
	},
});
