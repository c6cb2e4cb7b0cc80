import { contract, type ErrorCode } from '../../../../shared';
import { call, type Operation } from '../../runtime/operation';
import { textParameter } from '../../runtime/parameters';
import { shownFor } from '../fields';

const displayOptions = shownFor('verification', 'check');

const reasons: ReadonlySet<ErrorCode | undefined> = new Set(['wrong_code', 'expired_code', 'too_many_tries']);

/** Verification > Check Code. */
export const check: Operation = {
	option: {
		name: 'Check Code',
		value: 'check',
		action: 'Check verification code',
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
			description: 'The code that the person typed',
			displayOptions,
		},
	],
	labels: { verification_id: 'Verification ID', code: 'Code' },
	prepare: (context, itemIndex) =>
		call(contract.verification.check, {
			verification_id: textParameter(context, 'verificationId', itemIndex),
			code: textParameter(context, 'code', itemIndex),
		}),
	// A wrong code is what the question was about, not a failure of the workflow.
	finish: (outcome) => {
		if (outcome.outcome === 'accepted') return { ...outcome, output: withReason(Object(outcome.output)) };
		const { error } = outcome;
		if (error.sent !== 'no' || !reasons.has(error.meaning)) return outcome;
		return { outcome: 'accepted', output: { valid: false, reason: error.meaning, message: error.message } };
	},
};

function withReason(output: Readonly<Record<string, unknown>>): object {
	if (output.valid !== false) return output;
	const words = [output.reason, output.status, output.code, output.message].join(' ');
	if (/expired/i.test(words)) return { ...output, reason: 'expired_code' };
	return {
		...output,
		reason:
			/too[\s_-]?many|(attempts|tries)[\s_-]*(exceeded|exhausted|used)|no[\s_-]*more[\s_-]*(attempts|tries)|max(imum)?[\s_-]*(attempts|tries)/i.test(
				words,
			)
				? 'too_many_tries'
				: 'wrong_code',
	};
}
