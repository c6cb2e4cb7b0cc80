import { createWalletTopUp } from './creates/createWalletTopUp';
import { findWalletTopUp } from './searches/findWalletTopUp';

/**
 * Actions that a public app must not have. Zapier's publishing requirement 1.4 allows no financial transactions.
 * `scripts/zapier-build.mjs` leaves them out of the public app.
 */
export const privateCreates = { [createWalletTopUp.key]: createWalletTopUp };

/** Searches for records that only {@link privateCreates} make. */
export const privateSearches = { [findWalletTopUp.key]: findWalletTopUp };
