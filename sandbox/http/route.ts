import type { Endpoint } from '../../shared/contract/endpoint';

/** Converts an endpoint's path to Hono's syntax: `/sms/{id}` becomes `/sms/:id`. */
export function routePath({ path }: Endpoint): string {
	return path.replace(/\{(\w+)\}/g, ':$1');
}
