import { ApiError, asSentence, errorFacts, errorMessage, errorText, InputError } from '../../shared';

describe('the message of a failure', () => {
	const invalid = new InputError('sms.send', [
		{ field: 'to', message: 'is empty: give a phone number' },
		{ field: 'sender_id', message: 'is missing' },
	]);

	it('names every invalid field as the user sees it', () => {
		expect(errorMessage(invalid, { to: 'To', sender_id: 'Sender ID' })).toBe(
			'To is empty: give a phone number. Sender ID is missing',
		);
	});

	it('keeps the wire name of a field without a label', () => {
		expect(errorMessage(invalid, { to: 'Recipient' })).toBe(
			'Recipient is empty: give a phone number. sender_id is missing',
		);
	});

	it.each([
		['apiKey', 'API Key is missing'],
		['baseUrl', 'Base URL is missing'],
	])('names the field %s of a credential without a label', (field, message) => {
		expect(errorMessage(new InputError('client', [{ field, message: 'is missing' }]))).toBe(message);
	});

	it("keeps the service's own words, and adds the next step as a sentence", () => {
		const error = new ApiError('to is on our list', { endpoint: 'sms.send', sent: 'no', hint: 'Ask Ama.' });
		expect(errorMessage(error, { to: 'To' })).toBe('to is on our list');
		expect(errorText(error, { to: 'To' })).toBe('to is on our list. Ask Ama.');
	});
});

it.each([
	[{ code: 'opted_out', status: 422 }, ' (code opted_out, HTTP 422)'],
	[{ code: 'ECONNREFUSED' }, ' (code ECONNREFUSED)'],
	[{ status: 503 }, ' (HTTP 503)'],
	[{}, ''],
])('puts the code and the status of %j in brackets', (error, facts) => {
	expect(errorFacts(error)).toBe(facts);
});

it.each([
	['Access denied', 'Access denied.'],
	['Access denied.', 'Access denied.'],
	['Really?', 'Really?'],
	['sk_…', 'sk_…'],
])('ends %j as a sentence', (text, sentence) => {
	expect(asSentence(text)).toBe(sentence);
});
