import type { GoogleAccount } from '../thirdParty/google/account';
import type { Editor } from './n8nApi';

/**
 * Makes a credential for a node of Google and connects the account, as a user does with the button "Sign in with Google".
 * @param editor the editor's own routes, logged in
 * @param type n8n's type of the credential, such as `googleSheetsOAuth2Api`
 * @returns the ID of the credential
 * @throws Error if n8n could not connect
 */
export async function connectGoogle(editor: Editor, account: GoogleAccount, type: string): Promise<string> {
	const created = await editor('POST', '/rest/credentials', {
		name: type,
		type,
		data: { clientId: 'tests.apps.googleusercontent.com', clientSecret: 'GOCSPX-tests' },
	});
	const { id } = await dataOf<{ id: string }>(created);
	const address = await dataOf<string>(await editor('GET', `/rest/oauth2-credential/auth?id=${id}`));
	const back = new URL(account.allow(address));
	const page = await editor('GET', back.pathname + back.search);
	const text = await page.text();
	if (!page.ok || !/success/i.test(text)) throw new Error(`n8n did not connect ${type}: ${text.slice(0, 2000)}`);
	return id;
}

async function dataOf<T>(response: Response): Promise<T> {
	if (!response.ok) throw new Error(`n8n responded with ${response.status}: ${await response.text()}`);
	return ((await response.json()) as { data: T }).data;
}
