import { sleep } from 'n8n-workflow';

/** Number of items between two pauses. Reading one takes about a millisecond. */
const ITEMS = 200;

/**
 * Lets n8n do other work after every 200 items: reading thousands of items would otherwise stop its editor and webhooks.
 * @param index of the item that is read next
 */
export async function letOthersRun(index: number): Promise<void> {
	if (index % ITEMS === ITEMS - 1) await sleep(0);
}
