import { z } from 'zod/v4';
import { accept, createToken } from '../support/relay/api';
import { useDatabase } from '../support/relay/databases';
import { RELAY_TOKEN } from '../support/relay/relay';
import { type RelayProcess } from '../support/relay/relayProcess';
import { receipt } from '../support/relay/requests';

const tokens = z.object({ data: z.array(z.object({ id: z.string(), name: z.string() })) });

async function statusWith(relay: RelayProcess, token: string): Promise<number> {
	return (await relay.api('GET', '/v1/me', undefined, token)).status;
}

describe('a relay that starts with a RELAY_TOKEN that was revoked', () => {
	const database = useDatabase('postgres');
	const warning = /RELAY_TOKEN is revoked\. Set another one, or remove it/;

	it('receives events, says so without the token, and keeps the token revoked', async () => {
		const first = await database().startProcess();
		const other = await createToken(first, 'admin');
		const { data } = tokens.parse(await (await first.api('GET', '/v1/tokens')).json());
		const own = data.find(({ name }) => name === 'First token');
		expect((await first.api('DELETE', `/v1/tokens/${own?.id}`, undefined, other)).status).toBe(204);
		expect(first.output().join('\n')).not.toMatch(warning);
		await first.stop();

		const again = await database().startProcess();
		expect(again.output().filter((line) => warning.test(line))).toHaveLength(1);
		expect(again.output().join('\n')).not.toContain(RELAY_TOKEN);
		expect([await statusWith(again, RELAY_TOKEN), await statusWith(again, other)]).toEqual([401, 200]);
		await accept(again, receipt('after-revocation', 'sent'));
		await again.stop();

		const another = 'rly_admin_token_for_tests_only_0002';
		const last = await database().startProcess({ env: { RELAY_TOKEN: another } });
		expect(last.output().join('\n')).not.toMatch(warning);
		expect([await statusWith(last, RELAY_TOKEN), await statusWith(last, another)]).toEqual([401, 200]);
	});
});
