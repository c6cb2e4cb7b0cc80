import { contract, InputError, readCheckedCode, readRejectedCode, redact, typedCode } from '../../../../shared';
import { makeCall, type Call, type Operation } from '../../execution/operation';
import { switchOption, textParameter } from '../../host/parameters';
import { optionsField, shownFor } from '../fields';

const displayOptions = shownFor('verification', 'check');

const ACCEPT_SUCCESS = 'Accept Success as Valid';

/** Verification > Check Code. */
export const check: Operation = {
	option: {
		name: 'Check Code',
		value: 'check',
		action: 'Check a verification code',
		description: 'Check a one-time code that a person typed. Each check uses one of their tries.',
	},
	fields: [
		{
			displayName: 'Verification ID',
			name: 'verificationId',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. {{ $json.verification_id }}',
			description: 'The verification_id that Send Code returned',
			displayOptions,
		},
		{
			displayName: 'Code',
			name: 'code',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. {{ $json.code }}',
			description: 'The code that the person typed. Spaces and hyphens do not count.',
			displayOptions,
		},
		optionsField(displayOptions, [
			{
				displayName: ACCEPT_SUCCESS,
				name: 'acceptSuccess',
				type: 'boolean',
				default: false,
				description:
					'Whether success alone means a valid code. Turn on only if your service responds differently to a wrong code.',
			},
		]),
	],
	prepare: (context, itemIndex) => {
		// Read first, so that an unreadable option doesn't cost the person one of their tries.
		const acceptSuccess = switchOption(context, 'acceptSuccess', itemIndex);
		if (acceptSuccess instanceof InputError) return acceptSuccess;
		return makeCall(contract.verification.check, {
			verification_id: textParameter(context, 'verificationId', itemIndex),
			code: typedCode(context.getNodeParameter('code', itemIndex, '')),
		});
	},
	// A wrong code is a result, not a failure of the workflow.
	finish: (outcome, { input }, context, itemIndex) => {
		if (outcome.outcome === 'accepted') {
			const acceptSuccess = switchOption(context, 'acceptSuccess', itemIndex) === true;
			const response = contract.verification.check.output.parse(outcome.output);
			const checked = readCheckedCode(response, {
				acceptSuccess,
				optionName: ACCEPT_SUCCESS,
				code: String(input.code),
			});
			return { ...outcome, output: withoutCode(checked, input) };
		}
		const rejected = readRejectedCode(outcome.error);
		return rejected ? { outcome: 'accepted', output: rejected } : outcome;
	},
	hasVerdict: true,
};

/** Nesting depth of a response beyond which it is cut. */
const DEEPEST_SHOWN = 20;

/** Removes the code from a response that repeats it, because n8n stores outputs with the execution. */
function withoutCode(response: unknown, input: Call['input'], depth = 0): unknown {
	if (typeof response === 'string') return redact(response, { code: input.code });
	if (typeof response !== 'object' || response === null) return response;
	if (depth > DEEPEST_SHOWN) return '…';
	if (Array.isArray(response)) return response.map((entry) => withoutCode(entry, input, depth + 1));
	return Object.fromEntries(
		Object.entries(response).map(([key, value]) => {
			const typed = typeof value === 'number' && String(value) === input.code && /code|otp|pin/i.test(key);
			return [key, typed ? '…' : withoutCode(value, input, depth + 1)];
		}),
	);
}
