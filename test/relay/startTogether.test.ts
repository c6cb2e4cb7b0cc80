import { useDatabase } from '../support/relay/databases';

const PAIRS = 4;

describe('relays that start at the same moment (postgres)', () => {
	const database = useDatabase('postgres');
	const firstToken = (output: readonly string[]) => output.find((line) => line.includes('Admin Token '));

	it(`all start on an empty database, and one prints the first token: ${PAIRS} pairs`, async () => {
		// Without a key in the environment, they also make the key file together.
		const env = {
			RELAY_SERVICE_URL: 'http://127.0.0.1:9/api/v1',
			RELAY_TOKEN: '',
			RELAY_INGEST_SECRET: '',
			RELAY_KEY: '',
		};
		for (let pair = 0; pair < PAIRS; pair += 1) {
			const relays = await Promise.all([database().startProcess({ env }), database().startProcess({ env })]);
			expect(relays.filter(({ output }) => firstToken(output()) !== undefined)).toHaveLength(1);
			await Promise.all(relays.map(async ({ kill }) => await kill()));
			await database().query('drop schema relay, pgboss cascade');
		}
	}, 300_000);

	it('leave the first token to a process that shows it, also if a worker starts first', async () => {
		const env = { RELAY_TOKEN: '' };
		const worker = await database().startProcess({ role: 'worker', env });
		expect(worker.output().join('\n')).toContain('There is no admin token yet.');
		const web = await database().startProcess({ role: 'web', env });
		const token = /rly_\S+/.exec(firstToken(web.output()) ?? '')?.[0] ?? '';
		expect((await web.api('GET', '/v1/tokens', undefined, token)).status).toBe(200);
		const second = await database().startProcess({ role: 'worker', env });
		expect(second.output().join('\n')).not.toContain('admin token');
	});
});
