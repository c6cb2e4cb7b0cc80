/** A copy of the app. All come from this source, and differ only in this object and in `privateCreates.ts`. */
export interface Edition {
	/**
	 * Where plain http is allowed: to every host with a sandbox key and to loopback (`sandbox`), to loopback only, or nowhere.
	 */
	readonly plainHttp: 'sandbox' | 'loopback' | 'nowhere';
	/** The only host that the API key may go to, such as `api.example.com`. Without it, users enter their own. */
	readonly onlyHost?: string;
	/** URL of the page where users create API keys. */
	readonly keysPage?: string;
}

/**
 * The edition for local runs. `scripts/zapier-build.mjs` replaces this module in every zip: a private copy allows plain http to
 * loopback, and the public app allows it nowhere and may have one host and a page of keys.
 */
export const EDITION: Edition = { plainHttp: 'sandbox' };
