/**
 * Whether a sandbox key may go over plain http to another machine. True only for local runs:
 * `scripts/zapier-build.mjs` sets it to false in every zip, because an uploaded app calls only the real service.
 */
export const SANDBOX_OVER_HTTP: boolean = true;
