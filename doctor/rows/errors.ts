import { readPlaceholder, type Template } from '../../shared';
import type { Examined } from '../examine';
import {
	grouped,
	isUnreadable,
	joined,
	notAttempted,
	respondedAll,
	worst,
	type Facts,
	type Finding,
	type Row,
	type Verdict,
} from './row';

/** Calls that the service must reject. */
function rejectionsOf({ wrongKey, unknownIds, emptyRequests }: Facts): Examined[] {
	return [wrongKey, ...unknownIds, ...emptyRequests];
}

const errorFields: Row = (facts) => {
	const rejected = rejectionsOf(facts).filter(({ outcome }) => outcome.outcome === 'rejected');
	const one = (examined: Examined): Verdict => {
		// The whole text is the message.
		if (examined.other === 'text') return 'differs';
		if (examined.placesOf('error.message').length > 0)
			return examined.placesOf('error.code').length > 0 ? 'ok' : 'differs';
		return examined.placesOf('error.code').length > 0 ? 'differs' : 'unreadable';
	};
	const places = (field: string) => joined(rejected.flatMap(({ placesOf }) => placesOf(field)));
	return {
		service: respondedAll(rejected),
		reading: joined([
			...rejected.filter(({ other }) => other === 'text').map(({ endpoint }) => `The text of ${endpoint.path}`),
			places('error.code') ? `Code at ${places('error.code')}` : 'No code found',
			places('error.message') ? `Message at ${places('error.message')}` : 'No message found',
			...rejected
				.filter((examined) => one(examined) === 'unreadable')
				.map(({ endpoint }) => `No reason in ${endpoint.path}`),
		]),
		verdict: worst(rejected.map(one)),
	};
};

/** Public words in a structure, such as error codes. */
function wordsIn(template: Template | undefined): string[] {
	if (typeof template === 'string') {
		const placeholder = readPlaceholder(template);
		return placeholder?.kind === 'word' && placeholder.detail !== undefined ? [`\`${placeholder.detail}\``] : [];
	}
	if (Array.isArray(template)) return template.flatMap(wordsIn);
	return typeof template === 'object' && template !== null ? Object.values(template).flatMap(wordsIn) : [];
}

const errorCodes: Row = (facts) => {
	const one = ({ outcome }: Examined): { readonly text: string; readonly verdict: Verdict } => {
		if (outcome.outcome === 'accepted') return { text: 'no error', verdict: 'ok' };
		if (outcome.outcome === 'unknown') return { text: 'unknown outcome', verdict: 'unreadable' };
		const { meaning } = outcome.error;
		if (meaning === undefined) return { text: 'no known meaning', verdict: 'differs' };
		return { text: `\`${meaning}\``, verdict: 'ok' };
	};
	const rejections = rejectionsOf(facts);
	const codes = joined(rejections.flatMap(({ template }) => wordsIn(template)));
	return {
		service: codes === '' ? 'Error bodies have no word that is a public code.' : `Words in error bodies: ${codes}.`,
		reading: grouped(rejections.map((examined) => [examined.endpoint.path, one(examined).text])),
		verdict: worst(rejections.map((examined) => one(examined).verdict)),
	};
};

const unknownIds: Row = ({ unknownIds: all }) => {
	const one = ({ endpoint, outcome }: Examined): { readonly text: string; readonly verdict: Verdict } => {
		if (outcome.outcome === 'accepted') {
			return endpoint.id === 'verification.check' && !saysValid(outcome.output)
				? { text: 'a code that is not valid', verdict: 'ok' }
				: { text: 'read as a record', verdict: 'unreadable' };
		}
		if (outcome.outcome === 'unknown') return { text: 'unknown outcome', verdict: 'unreadable' };
		if (outcome.error.meaning === 'not_found') return { text: 'not found', verdict: 'ok' };
		return isUnreadable({ outcome })
			? { text: 'cannot be read', verdict: 'unreadable' }
			: { text: 'rejected, but not as an unknown ID', verdict: 'differs' };
	};
	return {
		service: respondedAll(all),
		reading: grouped(all.map((examined) => [examined.endpoint.path, one(examined).text])),
		verdict: worst(all.map((examined) => one(examined).verdict)),
	};
};

function saysValid(output: unknown): boolean {
	return typeof output === 'object' && output !== null && 'valid' in output && output.valid === true;
}

const channels: Row = ({ emptyRequests, paid }) => {
	const withSetUp = [...emptyRequests, ...(paid?.channels.flatMap(({ send }) => (send ? [send] : [])) ?? [])].filter(
		({ endpoint }) => endpoint.setUp !== undefined,
	);
	const missing = withSetUp.filter(
		({ outcome }) => outcome.outcome === 'rejected' && outcome.error.meaning === 'channel_not_set_up',
	);
	const service = respondedAll(withSetUp);
	if (missing.length > 0) {
		const names = joined(missing.map(({ endpoint }) => endpoint.path));
		return { service, reading: `Recognizes that a channel is not set up: ${names}.`, verdict: 'ok' };
	}
	const unclear = emptyRequests.filter(({ endpoint, outcome }) => endpoint.setUp && outcome.outcome !== 'rejected');
	if (unclear.length > 0) {
		const names = joined(unclear.map(({ endpoint }) => endpoint.path));
		return {
			service,
			reading: `A request without a recipient is not clearly rejected: ${names}.`,
			verdict: 'unreadable',
		};
	}
	return { ...notAttempted('Use the key of an account without WhatsApp, email or voice.'), service };
};

const rateLimits: Row = ({ headerNames }) => {
	const limits = [...headerNames]
		.filter((name) => /^(x-)?rate-?limit(-(limit|remaining|reset|policy))?$/.test(name) || name === 'retry-after')
		.sort();
	const service =
		limits.length > 0 ? `Responses have the headers ${joined(limits.map((name) => `\`${name}\``))}.` : 'Unknown.';
	return {
		...notAttempted('The doctor does not flood a service. Ask it how many requests per second it allows.'),
		service,
	};
};

const failuresWithStatus200: Row = (facts): Finding => {
	const successful = rejectionsOf(facts).filter(({ status = 0 }) => status >= 200 && status < 300);
	if (successful.length === 0) {
		return {
			service: 'Every rejection has a failing HTTP status.',
			reading: 'The status alone says that the call failed.',
			verdict: 'ok',
		};
	}
	const one = ({ endpoint, outcome }: Examined): { readonly text: string; readonly verdict: Verdict } => {
		const isResult = endpoint.response.kind === 'code' && outcome.outcome === 'accepted' && !saysValid(outcome.output);
		if (outcome.outcome === 'rejected' && !isUnreadable({ outcome })) {
			return { text: 'rejected', verdict: 'ok' };
		}
		if (isResult) return { text: 'a result', verdict: 'ok' };
		if (outcome.outcome === 'accepted') return { text: 'accepted', verdict: 'unreadable' };
		return { text: 'not clearly rejected', verdict: 'unreadable' };
	};
	return {
		service: respondedAll(successful),
		reading: grouped(successful.map((examined) => [examined.endpoint.path, one(examined).text])),
		verdict: worst(successful.map((examined) => one(examined).verdict)),
	};
};

const withoutMessageId: Row = ({ paid }) => {
	const sends = paid?.channels.flatMap(({ channel, send }) => (channel === 'sms' && send ? [send] : [])) ?? [];
	const accepted = sends.filter(({ status = 0 }) => status >= 200 && status < 300);
	if (accepted.length === 0)
		return notAttempted('Run the doctor with `--send-to NUMBER --max-spend AMOUNT --channels sms`.');
	const named = accepted.every(({ placesOf }) => placesOf('message_id').length > 0);
	return {
		service: respondedAll(accepted),
		reading: named
			? `Message ID at ${joined(accepted.flatMap(({ placesOf }) => placesOf('message_id')))}`
			: 'No message ID',
		verdict: named ? 'ok' : 'unreadable',
	};
};

/** Rows about rejections. */
export const errorRows = {
	'Error fields': errorFields,
	'Error codes': errorCodes,
	'Unknown IDs': unknownIds,
	'Channels that are not set up': channels,
	'Rate limits': rateLimits,
	'Failures with status 200': failuresWithStatus200,
	'Responses without a message ID': withoutMessageId,
} satisfies Record<string, Row>;
