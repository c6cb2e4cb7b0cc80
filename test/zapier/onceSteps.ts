import { contract, type Endpoint } from '../../shared';
import type { methods } from './zapierTestApp';

const to = '+233201234567';
const message = 'Your order is ready.';
const sender_id = 'KOFISHOP';

/** A step that sends, changes or costs something: the endpoint that it calls, and inputs for it. */
interface OnceStep {
	readonly endpoint: Endpoint;
	readonly inputs: Readonly<Record<string, unknown>>;
}

const steps = {
	sendSms: { endpoint: contract.sms.send, inputs: { to, sender_id, message } },
	sendBulkSms: { endpoint: contract.sms.sendBulk, inputs: { to: [to], sender_id, message, recipients_from: 'list' } },
	sendWhatsappMessage: { endpoint: contract.whatsapp.send, inputs: { to, message } },
	sendEmail: { endpoint: contract.email.send, inputs: { to: 'ama@example.com', subject: 'Order', message } },
	makeVoiceCall: { endpoint: contract.voice.send, inputs: { to, message } },
	sendVerificationCode: { endpoint: contract.verification.start, inputs: { phone: to, sender_id } },
	checkVerificationCode: { endpoint: contract.verification.check, inputs: { verification_id: '1', code: '000000' } },
	createContact: { endpoint: contract.contact.create, inputs: { phone: to } },
	createWalletTopUp: { endpoint: contract.wallet.createTopUp, inputs: { amount: '50' } },
	lookUpPhoneNumber: { endpoint: contract.lookup.phone, inputs: { phone: to } },
} satisfies Partial<Record<keyof typeof methods, OnceStep>>;

/** The name of a step whose call is made once. */
export type OnceStepName = keyof typeof steps;

/** Every step whose call is made once (`repeat` in the contract). */
export const onceSteps: Readonly<Record<OnceStepName, OnceStep>> = steps;

/** The names of {@link onceSteps}. */
export const onceStepNames = Object.keys(steps) as OnceStepName[];
