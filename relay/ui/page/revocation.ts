import type { Token } from '../../http/schemas';
import type { Subscription } from '../../subscriptions/schema';
import { counted } from './words';

/**
 * Says what ends with a token, one or two sentences for each fact. n8n learns nothing about it, so no other place says what
 * it means there.
 * @param subscriptions of all tokens
 * @param isOwn whether the page is logged in with it
 */
export function afterRevoke(
	{ id, kind }: Pick<Token, 'id' | 'kind'>,
	subscriptions: ReadonlyArray<Pick<Subscription, 'token' | 'health'>>,
	isOwn: boolean,
): string[] {
	const ended = subscriptions.filter(({ token }) => token?.id === id);
	const pending = ended.reduce((sum, { health }) => sum + health.pending, 0);
	return [
		'Requests with this token get a 401.',
		...(ended.length > 0 ? [endOf(ended.length, pending), RECEIVERS[kind]] : ['No subscription belongs to it.']),
		...(kind === 'admin' ? [isOwn ? 'You are logged out.' : 'Pages that are logged in with it are logged out.'] : []),
		'Sends through the relay continue. They use the API key of the service.',
	];
}

function endOf(subscriptions: number, pending: number): string {
	const ends = `${counted(subscriptions, 'subscription')} ${subscriptions === 1 ? 'ends' : 'end'}`;
	if (pending === 0) return `${ends}. No delivery is pending.`;
	const deliveries = counted(pending, 'pending delivery', 'pending deliveries');
	return `${ends}, and ${deliveries} ${pending === 1 ? 'is' : 'are'} canceled.`;
}

/** Next steps, by the kind of the token. The relay sends Zapier a request for each Zap, and n8n has no such request. */
const RECEIVERS: Readonly<Record<Token['kind'], string>> = {
	n8n: 'Workflows stay published in n8n, but get no more events. To get events again, enter another token in the credential and publish them again.',
	zapier:
		'The relay asks Zapier to turn the Zaps off. To get events again, enter another token in the connection and turn them on.',
	script: 'Receivers get no more events until you register them with another token.',
	admin: 'Receivers get no more events until you register them with another token.',
};
