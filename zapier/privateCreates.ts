import { createWalletTopUp } from './creates/createWalletTopUp';

/**
 * Actions that a public app must not have: Zapier's publishing requirements (1.4) allow no financial transactions.
 * `scripts/zapier-build.mjs` leaves them out of the zip, unless it is asked for them.
 */
export const privateCreates = { [createWalletTopUp.key]: createWalletTopUp };
