import type { WaitingFault } from '../../simulation/faults';
import type { Option } from '../../../ui/Form';
import { endpointList } from './access';

/** Labels of the faults in a response. */
const responseKinds = {
	answer: 'Respond with an error',
	html: 'Respond with a web page instead of JSON',
	drop_before: 'Cut the connection before handling the request',
	drop_after: 'Handle and charge the request, then cut the connection',
	truncate: 'Handle the request, then cut the connection in the middle of the response',
	half_json: 'Handle the request, then respond with half of the JSON',
	delay: 'Wait, then respond',
	hang: 'Never respond',
};

/** Labels of the faults in a webhook that the sandbox sends. */
const deliveryKinds = {
	post_copies: 'Deliver it more than once',
	post_late: 'Deliver it later',
	post_reordered: 'Deliver it after the next one',
	post_form: 'Deliver it as form fields',
};

const labels: Readonly<Record<WaitingFault['kind'], string>> = { ...responseKinds, ...deliveryKinds };

/** The kinds of faults. */
export const faultKinds: readonly Option[] = [
	...toOptions(responseKinds, 'Responses'),
	...toOptions(deliveryKinds, 'Webhooks that the sandbox sends'),
];

const inboundEvents = {
	'sms.inbound': 'Inbound SMS (sms.inbound)',
	'whatsapp.inbound': 'Inbound WhatsApp message (whatsapp.inbound)',
};

/** The events that the sandbox delivers. */
export const deliveryEvents: readonly Option[] = toOptions({
	...inboundEvents,
	'message.status': 'Delivery receipt (message.status)',
	'wallet.low_balance': 'Low-balance alert (wallet.low_balance)',
});

/** The requests that the sandbox handles. */
export const requestTargets: readonly Option[] = [
	...endpointList.map(({ id, summary }) => ({ value: id, label: `${summary} (${id})`, group: 'API requests' })),
	...toOptions(inboundEvents, 'The service’s own webhooks'),
];

/** The statuses of an error response. */
export const statuses: readonly Option[] = [
	{ value: '500', label: '500 Server error' },
	{ value: '503', label: '503 Unavailable' },
	{ value: '502', label: '502 Bad gateway' },
	{ value: '429', label: '429 Too many requests' },
	{ value: '401', label: '401 Invalid key' },
	{ value: '422', label: '422 Rejected' },
	{ value: '404', label: '404 Not found' },
];

/** Returns whether a kind of fault affects the webhooks that the sandbox sends. */
export function isOfDelivery(kind: string): boolean {
	return kind in deliveryKinds;
}

/** Describes a pending fault: what happens, and to which requests. */
export function describeFault(fault: WaitingFault): { readonly title: string; readonly target: string } {
	const delivered = isOfDelivery(fault.kind);
	const what = delivered ? 'webhook' : 'request';
	const next = fault.times === 1 ? `the next ${what}` : `the next ${fault.times} ${what}s`;
	const target = fault.endpoint === '*' ? next : `${next} ${delivered ? 'of' : 'to'} ${fault.endpoint}`;
	return { title: titleOf(fault), target };
}

function titleOf(fault: WaitingFault): string {
	switch (fault.kind) {
		case 'answer':
			return `Respond with ${fault.status}`;
		case 'delay':
			return `Wait ${fault.milliseconds} ms, then respond`;
		case 'post_late':
			return `Deliver it ${fault.milliseconds} ms later`;
		case 'post_copies':
			return `Deliver it ${fault.copies} times`;
		default:
			return labels[fault.kind];
	}
}

function toOptions(all: Readonly<Record<string, string>>, group?: string): Option[] {
	return Object.entries(all).map(([value, label]) => ({ value, label, ...(group !== undefined && { group }) }));
}
