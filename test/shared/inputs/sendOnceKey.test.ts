import { readSendOnceKey } from '../../../shared';

const advice = ': use one value for each message, such as 1001-shipped';

describe('Send Once Key', () => {
	it.each<[unknown, string]>([
		[undefined, 'is empty'],
		[null, 'is empty'],
		[' \n', 'is empty'],
		[['7'], 'is a list'],
		[{ id: 7 }, 'is an object'],
		[new Date(0), 'is an object'],
		[true, 'has a missing or wrong value'],
		[false, 'has a missing or wrong value'],
		[Number.NaN, 'has a missing or wrong value'],
		[Number.POSITIVE_INFINITY, 'has a missing or wrong value'],
		[' undefined ', 'has a missing or wrong value'],
		['Invalid DateTime', 'has a missing or wrong value'],
		['#N/A', 'has a missing or wrong value'],
		['order-undefined', 'contains undefined'],
		['order_null_2', 'contains null'],
		['NaN-shipped', 'contains NaN'],
		['order-[object Object]', 'contains [object Object]'],
		['order-{{ $json.id }}', 'contains {{ $json.id }}'],
		['order-', 'lacks its value for this message'],
		['-shipped', 'lacks its value for this message'],
		['login:', 'lacks its value for this message'],
		['--', 'lacks its value for this message'],
	])('rejects %p', (value, why) => {
		expect(readSendOnceKey(value)).toEqual({ message: `${why}${advice}` });
	});

	it.each([
		['order-shipped', '=order-{{ $json.id }}shipped'],
		['order--shipped', 'order-{{123__id}}-{{123__state}}shipped'],
		['2026-order', '=2026-{{ $json.id }}order'],
	])('rejects %p as the fixed part of the template %p', (key, template) => {
		expect(readSendOnceKey(key, template)).toEqual({ message: `lacks its value for this message${advice}` });
	});

	it.each<[unknown, string, string | undefined]>([
		['order-7', 'order-7', '=order-{{ $json.id }}'],
		[' 1001-shipped ', '1001-shipped', undefined],
		[7, '7', undefined],
		[0, '0', undefined],
		['boxing-day', 'boxing-day', 'boxing-day'],
		['nullable-undefined7', 'nullable-undefined7', undefined],
		['Zm9v-YmFyMQ-_', 'Zm9v-YmFyMQ-_', undefined],
		['order-ama-', 'order-ama-', '=order-{{ $json.name }}-{{ $json.note }}'],
		['ɛdiɛ', 'ɛdiɛ', undefined],
		['-OaBcDeFgHiJkLmNoPqR', '-OaBcDeFgHiJkLmNoPqR', undefined],
		['QWRhbQ==', 'QWRhbQ==', undefined],
		['launch!', 'launch!', undefined],
		['null@example.com', 'null@example.com', undefined],
	])('reads %p as %p', (value, key, template) => {
		expect(readSendOnceKey(value, template)).toBe(key);
	});
});
