import { defineCreate, defineInputFields, type CreatePerform, type PlainOutputField } from 'zapier-platform-core';
import {
	contract,
	readCheckedCode,
	readRejectedCode,
	ServiceError,
	typedCode,
	type Client,
	type InputOf,
} from '../../shared';
import { textInput } from '../runtime/inputs';
import { yesOption } from '../runtime/optionFields';
import { connect, runStep } from '../runtime/perform';
import { toOutput } from '../runtime/results';

const ACCEPT_SUCCESS = 'Accept Success as Valid';

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
	{
		key: 'accept_success',
		label: ACCEPT_SUCCESS,
		type: 'boolean',
		required: false,
		default: 'false',
		helpText:
			'Whether `success: true` alone means a correct code. Choose Yes only if your service returns no other verdict.',
	},
]);

const outputFields = [
	{ key: 'valid', label: 'Valid', type: 'boolean' },
	{ key: 'status', label: 'Status', type: 'string' },
	{ key: 'reason', label: 'Reason', type: 'string' },
	{ key: 'message', label: 'Message', type: 'string' },
] satisfies PlainOutputField[];

const perform = (async (z, bundle) =>
	await runStep(z, bundle, inputFields, async () => {
		const { verification_id, code } = bundle.inputData;
		const input = { verification_id: textInput(verification_id), code: typedCode(code) };
		// Reject a bad option before the check uses one of the tries.
		const acceptSuccess = yesOption(bundle, 'accept_success');
		return toOutput(outputFields, await check(connect(z, bundle), input, acceptSuccess));
	})) satisfies CreatePerform<typeof inputFields>;

/** Checks a code. A wrong, expired or used code is a result with `valid` false, not an error. */
async function check(client: Client, input: InputOf<typeof contract.verification.check>, acceptSuccess: boolean) {
	try {
		const response = await client.verification.check(input);
		return readCheckedCode(response, { acceptSuccess, optionName: ACCEPT_SUCCESS, code: input.code });
	} catch (error) {
		const rejected = error instanceof ServiceError && readRejectedCode(error);
		if (!rejected) throw error;
		return { ...rejected, status: rejected.valid ? null : rejected.reason };
	}
}

/** Check Verification Code: compares the code that a person typed (docs/api.md#check-a-code). */
export const checkVerificationCode = defineCreate({
	key: 'check_verification_code',
	noun: 'Code',
	display: {
		label: 'Check Verification Code',
		description: 'Checks a one-time code that a person typed. A wrong code returns Valid false, not an error.',
	},
	operation: {
		inputFields,
		perform,
		sample: { ...contract.verification.check.example.output, reason: null, message: null },
		outputFields,
	},
});
