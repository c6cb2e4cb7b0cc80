/**
 * The steps of a payer by mobile money, short enough for one segment of an SMS. The API says only that the user pays by
 * card or mobile money (docs/api.md#create-a-top-up). The menu is that of MTN Ghana (docs/wallet.md#pay-by-mobile-money).
 * @example console.log(`${checkout_url} ${PAYER_STEPS}`)
 */
export const PAYER_STEPS =
	'Mobile money: approve the payment on your phone. No prompt? With MTN in Ghana, dial *170# and choose My Wallet, then My Approvals.';
