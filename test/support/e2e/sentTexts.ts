import type { Sent } from './templateStage';

/**
 * The recipients and texts of sent messages, sorted by recipient. A node sends several messages at once, so those to
 * different recipients arrive in any order. Those to one recipient have the oldest first.
 */
export function textsOf({ messages }: Pick<Sent, 'messages'>): Array<[to: string, message: string]> {
	const texts = messages.map(({ to, message }): [string, string] => [to, message]);
	return texts.sort(([one], [other]) => one.localeCompare(other));
}
