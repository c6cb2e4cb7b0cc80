/** Other names of the wallet's balance, in any response. The available balance comes first. Credits are left out: they are not money. */
export const balanceNames = [
	'available_balance',
	'availableBalance',
	'wallet_balance',
	'walletBalance',
	'current_balance',
	'currentBalance',
	'account_balance',
	'accountBalance',
	'balance.available',
	'balance.available_balance',
	'balance.amount',
	'balance.value',
	'balance.balance',
	'wallet.balance',
	'wallet.available_balance',
	'wallet.available',
	'wallet.wallet_balance',
	'wallet.balance.amount',
	'wallet.amount',
	'account.balance',
] as const;

/** Other places of the cost and the balance in the response of a call that charges. */
export const chargeAliases = {
	cost: [
		...['total_cost', 'totalCost', 'amount_charged', 'charged_amount', 'charged', 'charge', 'price', 'total_price'],
		...['cost.amount', 'cost.value', 'cost.total', 'charge.amount', 'charge.value', 'charge.total', 'charge.cost'],
		...['charges.amount', 'charges.total', 'price.amount', 'price.value', 'billing.cost', 'billing.amount'],
	],
	balance: balanceNames,
} as const;
