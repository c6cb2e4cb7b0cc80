import { createClient, type Client, type Transport } from '../../shared';

// For the compiler only: each line marked with @ts-expect-error must be an error.
declare const transport: Transport;
declare const client: Client;

export const made: Client = createClient({ baseUrl: '', apiKey: '', transport });

export async function types() {
	const sent = await client.sms.send({ to: '+233201234567', sender_id: 'KOFISHOP', message: 'Hi', priority: true });
	const id: string = sent.message_id;
	const cost: number | null | undefined = sent.cost;
	// @ts-expect-error the sender is required
	await client.sms.send({ to: '+233201234567', message: 'Hi' });
	// @ts-expect-error a single send cannot be scheduled
	await client.sms.send({ to: '+233201234567', sender_id: 'K', message: 'Hi', schedule_at: '2026-11-20 12:00:00' });
	// @ts-expect-error an id is required
	await client.sms.get();
	await client.sms.get({ id: 7 }, { signal: AbortSignal.timeout(1) });
	const { balance }: { balance: number } = await client.wallet.getBalance();
	const [first] = await client.senderId.list({}, {});
	const name: string | undefined = first?.name;
	// @ts-expect-error no such operation
	const cancel: unknown = client.sms.cancel;
	return { id, cost, balance, name, cancel };
}
