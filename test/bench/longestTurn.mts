import { z } from 'zod/v4';

/**
 * Loaded into the sandbox that is measured: tells on request how much processor time the longest turn of its event loop
 * has taken since the last request, in milliseconds. Unlike latencies it does not grow with what else the machine does.
 */
let before = process.threadCpuUsage();
let longest = 0;

setInterval(() => {
	const { user, system } = process.threadCpuUsage(before);
	before = process.threadCpuUsage();
	longest = Math.max(longest, (user + system) / 1000);
}, 1).unref();

const question = z.literal('longest turn');
process.on('message', (message) => {
	question.parse(message);
	process.send?.({ longest });
	longest = 0;
});
