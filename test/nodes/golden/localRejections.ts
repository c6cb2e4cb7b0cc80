import type { INodeParameters } from 'n8n-workflow';
import { operationCases } from '../../support/operationCases';
import { nameOf, operationOf } from './calls';
import type { GoldenHarness } from './goldenHarness';

const chapter = 'Rejected by the node, before anything is sent';

/** Fields and options that accept every value. */
const alwaysValid = new Set([
	'options',
	'phoneNumber.format.phone',
	'sms.estimateCost.message',
	'returnAll',
	'responseType',
	'approvalOptions',
	'name',
]);

/** Fields and options that the table does not cover, by operation. The test expects none. */
export function uncoveredFields(ids: readonly string[]): string[] {
	return ids.flatMap((id) => {
		const { fields } = operationOf(id);
		const options = fields.find(({ name }) => name === 'options')?.options ?? [];
		const covered = new Set([
			...Object.keys(operationCases[id]?.wrong ?? {}),
			...Object.keys(operationCases[id]?.wrongOptions ?? {}),
			...alwaysValid,
		]);
		return [...fields, ...options]
			.map(({ name }) => `${id}.${name}`)
			.filter((path) => !covered.has(path) && !covered.has(path.slice(id.length + 1)));
	});
}

/** Records every field and option that the node rejects without a request. */
export async function recordLocalRejections({
	record,
	at,
	note,
	testCredential,
	sandbox,
}: GoldenHarness): Promise<void> {
	const items = [{}, {}];
	const named = (id: string, name: string) => {
		const { fields } = operationOf(id);
		const all = [...fields, ...(fields.find((field) => field.name === 'options')?.options ?? [])];
		const field = all.find((one) => one.name === name);
		if (!field || !('displayName' in field)) throw new Error(`${id} has no ${name}`);
		return field.displayName;
	};
	for (const [id, { wrong = {} }] of Object.entries(operationCases)) {
		for (const [name, values] of Object.entries(wrong)) {
			for (const [failure, value] of Object.entries(values)) {
				const parameters = { [name]: value, ...(name === 'limit' && { returnAll: false }) } as INodeParameters;
				// The link below a question contains the execution ID, and the node counts its length.
				await record(chapter, `${named(id, name)}: ${failure}`, id, {
					parameters,
					executionId: `golden-${name}-${failure}`,
				});
			}
		}
	}
	for (const [id, { wrongOptions = {} }] of Object.entries(operationCases)) {
		for (const [name, values] of Object.entries(wrongOptions)) {
			for (const [failure, value] of Object.entries(values)) {
				const to = id === 'sms.sendBulk' ? { to: '0201234567, 0241234567' } : {};
				const parameters = { ...to, options: value };
				// A question accepts one item only.
				const given = id === 'sms.sendAndWait' ? {} : { items };
				await record(chapter, `${named(id, name)}: ${failure}`, id, { parameters, ...given });
			}
		}
	}
	for (const [failure, credential] of Object.entries({
		'API Key: missing': { apiKey: '' },
		'API Key: for another service': { apiKey: 'pk_live_1' },
		'API Key: with a space': { apiKey: 'sk_sandbox demo' },
		'Base URL: missing': { baseUrl: '' },
		'Base URL: not a URL': { baseUrl: 'our service' },
		'Base URL: plain http': { baseUrl: 'http://service.example', apiKey: 'sk_live_1' },
		'Base URL: with a password': { baseUrl: 'https://ama:secret@service.example' },
		'Base URL: with a query': { baseUrl: 'https://service.example/api/v1/?key=1' },
		'Base URL: another scheme': { baseUrl: 'ftp://service.example' },
		'Base URL: another path': { baseUrl: `${sandbox.url}/nowhere/` },
	})) {
		await at(credential, async () => {
			await record(chapter, failure, 'sms.send');
			note(chapter, failure, 'Credential test', (await testCredential()).message);
		});
	}
	await record(chapter, 'Several items', 'sms.sendAndWait', { items });
	await at({ apiKey: 'sk_live_1' }, () => record(chapter, 'n8n has no public address', 'sms.sendAndWait'));
	await record(chapter, 'An expression that fails', 'sms.send', {
		parameters: { message: "={{ $('No such node').item.json.x }}" },
	});
	const settings = { onError: 'continueRegularOutput' } as const;
	await record(chapter, 'An expression that fails', 'sms.send', {
		parameters: { message: "={{ $('No such node').item.json.x }}" },
		settings,
		where: `${nameOf('sms.send')} (continue)`,
	});
}
