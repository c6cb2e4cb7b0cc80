import type { endpoints as all } from '../../../shared/contract';
import { formatAmount } from '../../../ui/format';

const { baseUrl = '', apiKey = '', currency = '', endpoints = '[]' } = document.body.dataset;

/** Base URL for programs, the sandbox's first API key, and the wallet's currency, such as GHS. */
export const access = { baseUrl, apiKey, currency };

/** Every endpoint of the API. */
export const endpointList = JSON.parse(endpoints) as readonly Pick<(typeof all)[number], 'id' | 'summary'>[];

/** Formats an amount in the wallet's currency: GHS 0.05. */
export function formatMoney(value: number): string {
	return `${currency} ${formatAmount(value)}`;
}
