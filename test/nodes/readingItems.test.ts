import { startEngine, type Engine } from '../support/n8n/engine';

let engine: Engine;

beforeAll(async () => {
	engine = await startEngine({
		// Nothing is sent: the last item cannot be read, and the run stops.
		messagingServiceApi: { baseUrl: 'https://service.example', apiKey: 'sk_test_1', authHeader: 'X-API-Key' },
	});
});

/** Runs the node with a number of items, and counts how often Node.js did other work meanwhile. */
async function ticksWhileReading(operation: string, count: number): Promise<number> {
	const items = Array.from({ length: count }, (_, n) => ({ key: n === count - 1 ? null : `order-${n}` }));
	let ticks = 0;
	let running = true;
	const tick = () => {
		ticks++;
		if (running) setImmediate(tick);
	};
	setImmediate(tick);
	const { error } = await engine.run({
		parameters: {
			resource: 'sms',
			operation,
			senderId: { __rl: true, mode: 'name', value: 'KOFISHOP' },
			to: '+233201234561',
			message: 'We are open',
			options: { sendOnceKey: '={{ $json.key }}', dryRun: true },
		},
		items,
	});
	running = false;
	expect(error?.message).toContain('Send Once Key');
	return ticks;
}

it.each(['send', 'sendBulk'])('%s lets n8n do other work while it reads 1,000 items', async (operation) => {
	const few = await ticksWhileReading(operation, 2);
	const many = await ticksWhileReading(operation, 1_001);
	expect(many - few).toBeGreaterThanOrEqual(4);
});
