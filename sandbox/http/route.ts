import type { Endpoint } from '../../shared/contract/endpoint';

/** Writes an endpoint's path the way Hono's router takes it: `/sms/{id}` as `/sms/:id`. */
export function routePath({ path }: Endpoint): string {
	return path.replace(/\{(\w+)\}/g, ':$1');
}
