import type { Endpoint } from '../../../shared';
import { operationCases, PHONE } from '../operationCases';
import { methodName } from './zapierTestApp';

/** A step of the app that makes one call of an endpoint. */
export interface EndpointStep {
	/** Its kind and key, such as `creates.send_sms`. */
	readonly at: string;
	/** Its key in camel case. */
	readonly name: string;
	/** The path of its method, as in an event. */
	readonly method: string;
	readonly endpoint: Endpoint;
	/** Inputs that the step accepts. */
	readonly inputs: Readonly<Record<string, unknown>>;
}

/** Inputs of steps whose fields differ from the keys of the endpoint's example. */
const INPUTS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
	'creates.send_bulk_sms': { to: [PHONE], sender_id: 'KOFISHOP', message: 'Hi', recipients_from: 'list' },
	'creates.check_verification_code': { verification_id: '1', code: '000000' },
	'creates.create_contact': { phone: PHONE },
	'creates.create_wallet_top_up': { amount: '50' },
};

/** Every step that makes one call of an endpoint. */
export const endpointSteps: readonly EndpointStep[] = Object.values(operationCases).flatMap(
	({ endpoint, zapierStep: at }) =>
		endpoint && at
			? [
					{
						at,
						name: methodName(at.replace(/.*\./, '')),
						method: `${at}.operation.perform`,
						endpoint,
						inputs: INPUTS[at] ?? endpoint.example.input,
					},
				]
			: [],
);

/** Every step whose call is made once (`repeat` in the contract). */
export const onceSteps = endpointSteps.filter(({ endpoint }) => endpoint.repeat === 'once');
