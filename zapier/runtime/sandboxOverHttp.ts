/**
 * Whether a sandbox key may go over plain http to another machine. For the app as it runs here:
 * `scripts/zapier-build.mjs` sets it to false in every zip, since an uploaded app talks to the service alone.
 */
export const SANDBOX_OVER_HTTP: boolean = true;
