import { createClient } from '../../../ui/request';
import { access } from './access';

export { control } from '../control';

let key = access.apiKey;

/** The service's API, called as a program would. */
export const api = createClient<{ 'POST sms/send': unknown; 'POST wallet/topup': unknown }>({
	base: '/api/v1/',
	headers: () => ({ 'x-api-key': key }),
});

/** Returns the API key of this page's own requests. */
export function currentKey(): string {
	return key;
}

/** Makes the page send with a new key from now on. Only this page's memory has it. */
export function sendWithKey(secret: string): void {
	key = secret;
}
