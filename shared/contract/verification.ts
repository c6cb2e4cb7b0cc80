import { z } from 'zod/v4';
import { chargeAliases } from './charges';
import { endpoint } from './endpoint';
import { money, phoneNumber, senderIdName } from './fields';
import { verdicts } from './words';

const verificationIdAliases = ['verificationId', 'id', 'verification.id'];

/** Endpoints of one-time codes (docs/api.md#one-time-codes). */
export const verification = {
	/** Sends a one-time code: POST /verify/start (docs/api.md#start-a-verification). Its response is undocumented. */
	start: endpoint({
		id: 'verification.start',
		method: 'POST',
		path: '/verify/start',
		summary: 'Send a one-time code by SMS',
		input: z.object({ phone: phoneNumber, sender_id: senderIdName }),
		output: z.looseObject({
			success: z.boolean().optional(),
			verification_id: z.union([z.number().int(), z.string().min(1)]),
			status: z.string().nullish(),
			cost: money.nullish(),
			balance: money.nullish(),
		}),
		response: { kind: 'record', aliases: { verification_id: verificationIdAliases, ...chargeAliases } },
		repeat: 'once',
		charges: 'segment',
		errors: ['validation', 'insufficient_balance', 'opted_out', 'sender_not_approved', 'failed_send'],
		hints: {
			unknown: 'A code may have been sent and charged. Ask the person whether one came before you send another.',
		},
		example: {
			input: { phone: '+233201234567', sender_id: 'KOFISHOP' },
			output: { success: true, verification_id: 1001, status: 'pending' },
		},
	}),

	/** Checks a one-time code: POST /verify/check (docs/api.md#check-a-code). Its response is undocumented. */
	check: endpoint({
		id: 'verification.check',
		method: 'POST',
		path: '/verify/check',
		summary: 'Check a one-time code',
		input: z.object({
			verification_id: z
				.union(
					[
						z.number().int(),
						z
							.string()
							.trim()
							.regex(/^\d{1,15}$/)
							.transform(Number),
					],
					{
						error: 'is not a whole number: give the verification ID that sending the code returned',
					},
				)
				.describe('Identifier that sending the code returned'),
			code: z.string().trim().min(1, 'is empty: give the code that the person entered').describe('The code to check'),
		}),
		output: z.looseObject({
			/** Whether the response says that the code is correct. */
			valid: z.boolean(),
			/** Concluded by the client. A wrong code and a response without a verdict are both not valid. */
			verdict: z.enum(verdicts).optional().describe('Concluded by the client from the whole response'),
			status: z.string().nullish(),
		}),
		response: { kind: 'code' },
		repeat: 'once',
		charges: false,
		errors: ['wrong_code', 'expired_code', 'too_many_tries', 'used_code', 'validation', 'not_found'],
		hints: {
			doubt: 'It is unknown whether the code was checked',
			unknown:
				'The code may have been checked. Checking it again uses another try, and a correct code may count only once.',
			accepted: 'The code was checked. Checking it again uses another try.',
		},
		example: {
			input: { verification_id: 1001, code: '493021' },
			output: { valid: true, status: 'verified' },
		},
	}),
} as const;
