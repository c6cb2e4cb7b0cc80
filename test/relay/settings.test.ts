import { HELP, readSettings, SettingsError } from '../../relay/settings';
import { RETRY, WAITS } from '../../relay/waits';

const LONG = 'x'.repeat(32);

function problemOf(args: readonly string[], env: Readonly<Record<string, string>>): string {
	try {
		readSettings(args, env);
	} catch (error) {
		if (error instanceof SettingsError) return error.message;
		throw error;
	}
	return 'none';
}

describe('settings of the relay', () => {
	it('have defaults', () => {
		expect(readSettings([], {})).toEqual({
			database: 'relay-data',
			folder: 'relay-data',
			role: 'all',
			port: 4400,
			host: '127.0.0.1',
			publicUrl: '',
			allow: [],
			key: '',
			token: '',
			ingestSecret: '',
			serviceUrl: '',
			senderIds: [],
			forwardWhatsapp: false,
			callbackUrl: '',
			offForwards: [],
			retentionDays: 30,
			deduplicationSeconds: 60,
			serviceTimeoutSeconds: 60,
			serviceRate: 0,
			sendsDays: 30,
			retry: RETRY,
			waits: WAITS,
		});
	});

	it('come from the environment, and an empty variable counts as absent', () => {
		const env = {
			RELAY_PORT: '',
			RELAY_HOST: '0.0.0.0',
			RELAY_FOLDER: '/data',
			DATABASE_URL: 'postgres://relay:p%40ss@db/relay',
			RELAY_ROLE: 'web',
			RELAY_PUBLIC_URL: 'https://example.com/relay/',
			RELAY_ALLOW: ' 10.0.0.5, 10.1.0.0/16 ,fd00::/8,::1,n8n,n8n.internal.example,Bücher.example,',
			RELAY_KEY: LONG,
			RELAY_TOKEN: `rly_${LONG}`,
			RELAY_INGEST_SECRET: LONG,
			RELAY_SERVICE_URL: 'https://service.example/',
			RELAY_SENDER_IDS: 'KOFISHOP, Kofi Shop,,1234',
			RELAY_FORWARD_WHATSAPP: 'true',
			RELAY_CALLBACK_URL: 'https://example.com/callback/?key=1',
			RELAY_RETENTION_DAYS: '7',
			RELAY_DEDUPLICATION_SECONDS: '0',
			RELAY_SERVICE_TIMEOUT_SECONDS: '30',
			RELAY_SERVICE_RATE: '10',
			RELAY_SENDS_DAYS: '90',
			RELAY_RETRY_SCHEDULE: '1, 2.5,86400',
			RELAY_PROBES: '0.1',
		};
		expect(readSettings([], env)).toEqual({
			database: 'postgres://relay:p%40ss@db/relay',
			folder: '/data',
			role: 'web',
			port: 4400,
			host: '0.0.0.0',
			publicUrl: 'https://example.com/relay',
			allow: ['10.0.0.5', '10.1.0.0/16', 'fd00::/8', '::1', 'n8n', 'n8n.internal.example', 'Bücher.example'],
			key: LONG,
			token: `rly_${LONG}`,
			ingestSecret: LONG,
			serviceUrl: 'https://service.example',
			senderIds: ['KOFISHOP', 'Kofi Shop', '1234'],
			forwardWhatsapp: true,
			callbackUrl: 'https://example.com/callback/?key=1',
			offForwards: [],
			retentionDays: 7,
			deduplicationSeconds: 0,
			serviceTimeoutSeconds: 30,
			serviceRate: 10,
			sendsDays: 90,
			retry: { ...RETRY, schedule: [1, 2.5, 86_400], probes: [0.1] },
			waits: WAITS,
		});
	});

	it.each([
		[{ RELAY_SERVICE_URL: 'off' }, ['sms', 'whatsapp']],
		[{ RELAY_SERVICE_URL: 'https://service.example', RELAY_FORWARD_WHATSAPP: 'false' }, ['whatsapp']],
		[{ RELAY_CALLBACK_URL: 'off' }, ['callback']],
	])('turn forwards off: %j', (env, off) => {
		const { offForwards, callbackUrl } = readSettings([], env);
		expect([offForwards, callbackUrl]).toEqual([off, '']);
	});

	it('on the command line win over the environment', () => {
		const settings = readSettings(['--port', '0', '--role=worker', '--folder', 'a'], {
			RELAY_PORT: '1',
			RELAY_ROLE: 'web',
			RELAY_FOLDER: 'b',
		});
		expect(settings).toMatchObject({ port: 0, role: 'worker', folder: 'a', database: 'a' });
	});

	const number = (least: number, most: number) => `must be a whole number from ${least} to ${most}`;
	const service = 'must be an http or https URL, such as https://service.example.com';
	const entries = 'Enter addresses, ranges and host names, such as 10.0.0.5,10.1.0.0/16,n8n';
	const schedule = 'must be 1 to 50 numbers of seconds, each from 0.1 to 86400, such as 5,30,120';
	const postgres = 'must be a URL, such as postgres://user:password@host:5432/name';

	it.each<[readonly string[], Record<string, string>, string]>([
		[['--port', 'many'], {}, `--port ${number(0, 65_535)}`],
		[['--port', '65536'], {}, `--port ${number(0, 65_535)}`],
		[['--port=-1'], {}, `--port ${number(0, 65_535)}`],
		[['--port', '1e3'], {}, `--port ${number(0, 65_535)}`],
		[['--port', ''], {}, `--port ${number(0, 65_535)}`],
		[[], { RELAY_PORT: '44OO' }, `RELAY_PORT ${number(0, 65_535)}`],
		[['--port'], {}, '--port has no value'],
		[['--port', '--host', '::1'], {}, '--port has no value'],
		[['--host', ''], {}, '--host is empty. Enter an address, such as 127.0.0.1'],
		[['--folder', ''], {}, '--folder is empty. Enter the path of a folder'],
		[['--database', 'mysql://db/relay'], {}, `--database ${postgres}`],
		[['--database', 'postgres://user:secret@db:port/relay'], {}, `--database ${postgres}`],
		[[], { DATABASE_URL: 'relay.db' }, `DATABASE_URL ${postgres}`],
		[['--role', 'boss'], {}, '--role must be web, worker or all'],
		[[], { RELAY_ROLE: 'WEB' }, 'RELAY_ROLE must be web, worker or all'],
		[['--colour', 'red'], {}, '--colour is not an option'],
		[['-p', '1'], {}, '-p is not an option'],
		[['postgres://user:secret@db/relay'], {}, 'The command line has an argument without an option, such as --database'],
		[
			[],
			{ RELAY_PUBLIC_URL: 'relay.example' },
			'RELAY_PUBLIC_URL must be an http or https URL, such as https://relay.example.com',
		],
		[
			[],
			{ RELAY_PUBLIC_URL: 'https://relay.example/?a=secret' },
			'RELAY_PUBLIC_URL must end before ? and #, such as https://relay.example.com',
		],
		[[], { RELAY_SERVICE_URL: 'ftp://service.example' }, `RELAY_SERVICE_URL ${service}`],
		[[], { RELAY_SERVICE_URL: 'https://user:secret@service.example' }, `RELAY_SERVICE_URL ${service}`],
		[[], { RELAY_SERVICE_URL: 'https://' }, `RELAY_SERVICE_URL ${service}`],
		[[], { RELAY_SERVICE_URL: 'https://a b' }, `RELAY_SERVICE_URL ${service}`],
		[
			[],
			{ RELAY_CALLBACK_URL: 'secret' },
			'RELAY_CALLBACK_URL must be an http or https URL, such as https://example.com/callback',
		],
		[[], { RELAY_ALLOW: '10.0.0.0/33' }, `RELAY_ALLOW has a wrong entry 1. ${entries}`],
		[[], { RELAY_ALLOW: 'n8n,http://n8n' }, `RELAY_ALLOW has a wrong entry 2. ${entries}`],
		[[], { RELAY_ALLOW: 'n8n:5678' }, `RELAY_ALLOW has a wrong entry 1. ${entries}`],
		[[], { RELAY_ALLOW: '127.1' }, `RELAY_ALLOW has a wrong entry 1. ${entries}`],
		[[], { RELAY_ALLOW: '0x7f000001' }, `RELAY_ALLOW has a wrong entry 1. ${entries}`],
		[[], { RELAY_ALLOW: '*.example.com' }, `RELAY_ALLOW has a wrong entry 1. ${entries}`],
		[[], { RELAY_ALLOW: '[::1]' }, `RELAY_ALLOW has a wrong entry 1. ${entries}`],
		[[], { RELAY_ALLOW: 'a b' }, `RELAY_ALLOW has a wrong entry 1. ${entries}`],
		[[], { RELAY_KEY: 'secret' }, 'RELAY_KEY must have 32 characters or more'],
		[[], { RELAY_TOKEN: 'secret' }, 'RELAY_TOKEN must have 24 or more letters, digits or signs'],
		[[], { RELAY_TOKEN: `${LONG} secret` }, 'RELAY_TOKEN must have 24 or more letters, digits or signs'],
		[[], { RELAY_INGEST_SECRET: 'secret' }, 'RELAY_INGEST_SECRET must have 24 or more letters, digits, - or _'],
		[[], { RELAY_INGEST_SECRET: `${LONG}/` }, 'RELAY_INGEST_SECRET must have 24 or more letters, digits, - or _'],
		[[], { RELAY_FORWARD_WHATSAPP: 'yes' }, 'RELAY_FORWARD_WHATSAPP must be true or false'],
		[[], { RELAY_RETENTION_DAYS: '0' }, `RELAY_RETENTION_DAYS ${number(1, 3650)}`],
		[[], { RELAY_RETENTION_DAYS: '1.5' }, `RELAY_RETENTION_DAYS ${number(1, 3650)}`],
		[[], { RELAY_DEDUPLICATION_SECONDS: '86401' }, `RELAY_DEDUPLICATION_SECONDS ${number(0, 86_400)}`],
		[[], { RELAY_SERVICE_TIMEOUT_SECONDS: '0' }, `RELAY_SERVICE_TIMEOUT_SECONDS ${number(1, 600)}`],
		[[], { RELAY_SERVICE_RATE: '0.5' }, `RELAY_SERVICE_RATE ${number(0, 1000)}`],
		[
			[],
			{ RELAY_SENDER_IDS: 'KOFISHOP, *' },
			'RELAY_SENDER_IDS has a wrong entry 2. Enter names, short codes and numbers, such as KOFISHOP,1234',
		],
		[[], { RELAY_SENDS_DAYS: '0' }, `RELAY_SENDS_DAYS ${number(1, 3650)}`],
		[[], { RELAY_RETRY_SCHEDULE: '5,,secret' }, `RELAY_RETRY_SCHEDULE ${schedule}`],
		[[], { RELAY_RETRY_SCHEDULE: '5,86401' }, `RELAY_RETRY_SCHEDULE ${schedule}`],
		[
			[],
			{ RELAY_RETRY_SCHEDULE: '86400,86400,86400,1' },
			'RELAY_RETRY_SCHEDULE must be at most 259200 seconds (three days) in all, because n8n remembers an event for four days',
		],
		[[], { RELAY_PROBES: ',' }, `RELAY_PROBES ${schedule}`],
		[[], { RELAY_PROBES: '5,0' }, `RELAY_PROBES ${schedule}`],
	])('that are wrong are named with what to enter: %j %j', (args, env, problem) => {
		const message = problemOf(args, env);
		expect(message).toBe(`${problem}. See relay --help.`);
		expect(message).not.toContain('secret');
	});

	it('are all named by --help', () => {
		// Those that are off follow from three of the variables. Two variables are in `retry`, and none in `waits`.
		const { offForwards, retry, waits, ...named } = readSettings([], {});
		expect([offForwards, retry, waits]).toEqual([[], RETRY, WAITS]);
		expect(Object.keys(named)).toHaveLength(19);
		for (const variable of HELP.match(/RELAY_[A-Z_]+|DATABASE_URL/g) ?? []) {
			const [wrong] = ['\0', '-1']
				.map((value) => problemOf([], { [variable]: value }))
				.filter((text) => text !== 'none');
			const acceptsAll = ['RELAY_HOST', 'RELAY_FOLDER'].includes(variable);
			expect([variable, acceptsAll || wrong?.startsWith(`${variable} `)]).toEqual([variable, true]);
		}
		expect(new Set(HELP.match(/RELAY_[A-Z_]+|DATABASE_URL/g)).size).toBe(21);
	});
});
