import { defineCreate, defineInputFields, type CreatePerform, type PlainOutputField } from 'zapier-platform-core';
import { contract, ServiceError, type Client, type ErrorCode, type InputOf } from '../../shared';
import { textInput } from '../runtime/inputs';
import { connect, runStep } from '../runtime/perform';
import { toResult } from '../runtime/results';

const inputFields = defineInputFields([
	{
		key: 'verification_id',
		label: 'Verification ID',
		type: 'string',
		required: true,
		placeholder: '1001',
		helpText: 'The Verification ID that **Send Verification Code** returned.',
	},
	{
		key: 'code',
		label: 'Code',
		type: 'string',
		required: true,
		placeholder: '493021',
		helpText: 'The code that the person typed. Each check uses one of their tries, and so does testing this step.',
	},
]);

const outputFields = [
	{ key: 'valid', label: 'Valid', type: 'boolean' },
	{ key: 'status', label: 'Status', type: 'string' },
	{ key: 'reason', label: 'Reason', type: 'string' },
	{ key: 'message', label: 'Message', type: 'string' },
] satisfies PlainOutputField[];

/** What a person can have done wrong with a code. */
const REASONS: readonly ErrorCode[] = ['wrong_code', 'expired_code', 'too_many_tries', 'used_code'];

const perform = (async (z, bundle) =>
	await runStep(z, bundle, inputFields, async () => {
		const { verification_id, code } = bundle.inputData;
		const input = { verification_id: textInput(verification_id), code: textInput(code) };
		return toResult(outputFields, await check(connect(z, bundle), input));
	})) satisfies CreatePerform<typeof inputFields>;

/** Checks a code. A wrong one is what the question was about, not a failure of the Zap. */
async function check(client: Client, input: InputOf<typeof contract.verification.check>) {
	try {
		const checked = await client.verification.check(input);
		return { ...checked, reason: REASONS.find((reason) => reason === checked.status) ?? null };
	} catch (error) {
		const reason = error instanceof ServiceError && REASONS.find((meaning) => meaning === error.meaning);
		if (!reason) throw error;
		return { valid: false, status: reason, reason, message: error.message };
	}
}

/** Check Verification Code: whether a person typed the code that was sent. */
export const checkVerificationCode = defineCreate({
	key: 'check_verification_code',
	noun: 'Code',
	display: {
		label: 'Check Verification Code',
		description: 'Checks a one-time code that a person typed. A wrong code is not an error: it gives Valid false.',
	},
	operation: {
		inputFields,
		perform,
		sample: { ...contract.verification.check.example.output, reason: null, message: null },
		outputFields,
	},
});
