import { contract, meaningOfWords, redact, type ErrorCode } from '../../../../shared';
import { call, type Call, type Operation } from '../../runtime/operation';
import { textParameter } from '../../runtime/parameters';
import { shownFor } from '../fields';

const displayOptions = shownFor('verification', 'check');

/** Why a code is not right. */
const reasons: ReadonlySet<ErrorCode | undefined> = new Set([
	'wrong_code',
	'expired_code',
	'too_many_tries',
	'used_code',
]);

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
	finish: (outcome, { input }) => {
		if (outcome.outcome === 'accepted') {
			return { ...outcome, output: withoutCode(withReason(Object(outcome.output)), input) };
		}
		const { error } = outcome;
		if (error.sent !== 'no' || !reasons.has(error.meaning)) return outcome;
		return { outcome: 'accepted', output: { valid: false, reason: error.meaning, message: error.message } };
	},
};

function withReason(output: Readonly<Record<string, unknown>>): object {
	if (output.valid !== false) return output;
	const { reason, status, code, message } = output;
	const words = [reason, status, code, message].filter((text) => typeof text === 'string');
	const told = words.map((text) => meaningOfWords(contract.verification.check, text)).find((one) => reasons.has(one));
	// Words that say something else are not to be taken for a wrong code; without any, that is what it was.
	return { ...output, reason: told ?? (message === undefined ? 'wrong_code' : 'not_valid') };
}

/** Takes the code out of an answer that repeats it, since outputs are kept with the execution. */
function withoutCode(answer: unknown, input: Call['input']): unknown {
	if (typeof answer === 'string') return redact(answer, { code: input.code });
	if (Array.isArray(answer)) return answer.map((entry) => withoutCode(entry, input));
	if (typeof answer !== 'object' || answer === null) return answer;
	return Object.fromEntries(
		Object.entries(answer).map(([key, value]) => {
			const typed = typeof value === 'number' && String(value) === input.code && /code|otp|pin/i.test(key);
			return [key, typed ? '…' : withoutCode(value, input)];
		}),
	);
}
