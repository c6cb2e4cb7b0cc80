import { z } from 'zod/v4';

/**
 * Runs in the measured sandbox. On request, it reports the processor time of the longest turn of the event loop since the
 * last request, in milliseconds. Unlike latency, other load on the machine does not increase it.
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
