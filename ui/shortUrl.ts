/** Length from which a part of a path is an ID or a secret. */
const LONG = 16;
/** Number of characters of an ID that stay. */
const SHOWN = 5;

/**
 * Shortens a webhook URL to its host, the kind of its path and the end of the ID behind it, such as
 * `n8n.example/webhook/…7bcef`. The rest of the path often holds a secret, and pages end up in screenshots. A path of up
 * to three short parts stays. The query never does.
 */
export function shortUrl(url: string): string {
	const { host, pathname } = new URL(url);
	const [, kind = '', ...rest] = pathname.split('/');
	if (rest.length <= 2 && rest.every((part) => part.length < LONG)) return host + (pathname === '/' ? '' : pathname);
	const [id = '', ...behind] = rest;
	// Without a secret behind it, the ID itself may be one.
	return `${host}/${kind}/…${behind.length > 0 && id.length >= LONG ? id.slice(-SHOWN) : ''}`;
}
