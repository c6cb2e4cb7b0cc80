/** Makes a process that is started with `--import` fail with private data at SIGUSR2, as a library might. */
const { CRASH_WITH = '', CRASH_AS } = process.env;
process.on('SIGUSR2', () => {
	// In a turn of its own, as an error of a library is.
	setImmediate(() => {
		if (CRASH_AS === 'group') throw new AggregateError([new Error(CRASH_WITH)], CRASH_WITH);
		else if (CRASH_AS === 'rejection') void Promise.reject(new Error(CRASH_WITH));
		else throw Object.assign(new Error(CRASH_WITH), { detail: CRASH_WITH, cause: new Error(CRASH_WITH) });
	});
});
