import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { PHONE, pricedByOwnUnit } from '../../support/operationCases';
import { stubServer } from '../../support/stubServer';
import { nameOf, parametersOf } from './calls';
import type { GoldenHarness } from './goldenHarness';

const chapter = 'Several messages in one execution, agents, and hints';
const numbers = ['+233201234561', '+233201234562', '+233201234563'];
const items = numbers.map((to) => ({ to }));
const each = { to: '={{ $json.to }}' };

/** Records failures that need several items or calls, and the hints of runs that succeed. */
export async function recordRunFailures(harness: GoldenHarness): Promise<void> {
	const { record, control } = harness;
	await control.reset();
	for (const id of ['sms.send', ...pricedByOwnUnit]) {
		const parameters = { ...each, phone: each.to, options: { maxRecipients: 5 } };
		await record(chapter, 'Maximum Recipients reached by a loop', id, { parameters, items, secondItems: items });
	}
	const body = { message: 'Not you' };
	await control.fault({ endpoint: 'wallet.getBalance', kind: 'answer', status: 403, body });
	const parameters = { options: { checkBalance: 'stop', pricePerSegment: 1 } };
	await record(chapter, 'Check Balance: the balance cannot be read', 'sms.send', { parameters });
	await recordTools(harness);
	await recordHints(harness);
	await control.reset();
}

/** Records the texts that an agent or an MCP client reads. */
async function recordTools({ engine, note }: GoldenHarness): Promise<void> {
	const call = { to: PHONE, message: 'Your order is ready' };
	const read = (texts: readonly string[]) => texts.map((text) => JSON.parse(text) as IDataObject[]).at(-1)?.[0];
	const limits: Readonly<Record<string, INodeParameters>> = {
		'Maximum Recipients': { maxRecipients: 5 },
		'Maximum Spend': { maxSpend: 5, pricePerSegment: 0.05 },
	};
	for (const [label, options] of Object.entries(limits)) {
		const row = read(await engine.callMcp([call], { options }));
		note(chapter, `${label} in a tool of an MCP server`, 'Tool', JSON.stringify(row?.error));
	}
	const later = { operation: 'sendLater', sendAt: '={{ $now.plus({ days: 1 }) }}' };
	const again = read(await engine.callTool([call, call], {}, 'one by one', {}, undefined, later));
	note(chapter, 'An agent repeats a message', nameOf('sms.sendLater'), JSON.stringify(again?.message));
}

/** Records the hints that the editor shows above the output. */
async function recordHints({ engine, at, note }: GoldenHarness): Promise<void> {
	const hint = async (failure: string, id: string, response: unknown, parameters: INodeParameters) => {
		await using server = await stubServer({ status: 200, body: JSON.stringify(response) });
		const run = async () => await engine.run({ parameters: parametersOf(id, parameters), items });
		const { hints } = await at({ baseUrl: server.baseUrl }, run);
		note(chapter, failure, `Hint of ${nameOf(id)}`, ...new Set(hints.map(String)));
	};
	const page = { data: [{ id: 1, name: 'Ama', phone: PHONE }], current_page: 1, last_page: 3 };
	await hint('The next page repeats', 'contact.getMany', page, { returnAll: true });
	const skipped = { batch_id: 'b1', total: 3, queued: 1, skipped: 2 };
	await hint('Numbers skipped, not said which', 'sms.sendBulk', skipped, each);
	const poor = { balance: 40, currency: 'GHS', success: true, message_id: 'msg_1', status: 'sent' };
	const options = { checkBalance: 'warn', pricePerSegment: 20 };
	await hint('Check Balance warns', 'sms.send', poor, { ...each, options });
}
