import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { MessagingService } from '../../nodes/MessagingService/MessagingService.node';
import { MessagingServiceWalletTrigger } from '../../nodes/MessagingService/MessagingServiceWalletTrigger.node';
import { readPhoneCountry } from '../../shared/phone/phoneCountry';

const nested = (properties: readonly INodeProperties[]): INodeProperties[] =>
	properties.flatMap((property) => [
		property,
		...nested((property.options ?? []).filter((option): option is INodeProperties => 'displayName' in option)),
	]);
const fields = [new MessagingService(), new MessagingServiceWalletTrigger()].flatMap(({ description }) =>
	nested(description.properties),
);
const named = (name: string) => fields.filter((field) => field.name === name);
const choices = ({ options = [] }: INodeProperties) =>
	options.filter((option): option is INodePropertyOptions => 'value' in option);

describe('the fields that protect money', () => {
	it.each(['maxRecipients', 'maxSpend', 'requestsPerSecond'])('%s limits as soon as it is added', (name) => {
		expect(named(name).length).toBeGreaterThan(0);
		for (const field of named(name)) {
			expect(field.default).toBeGreaterThan(0);
			expect(field.description).not.toMatch(/no limit/);
		}
	});

	it('Check Balance stops as soon as it is added', () => {
		expect(named('checkBalance').length).toBeGreaterThan(0);
		for (const field of named('checkBalance')) expect(field.default).toBe('stop');
	});

	it('an amount has two decimals, and a price of one unit four', () => {
		const decimals = (name: string) => named(name).map(({ typeOptions }) => typeOptions?.numberPrecision);
		for (const name of ['maxSpend', 'amount', 'threshold']) expect(new Set(decimals(name))).toEqual(new Set([2]));
		const prices = new Set(fields.map(({ name }) => name).filter((name) => name.startsWith('pricePer')));
		expect(prices.size).toBeGreaterThanOrEqual(3);
		for (const name of prices) expect(new Set(decimals(name))).toEqual(new Set([4]));
	});
});

describe('the fields with a list', () => {
	it('Default Country offers every country with phone numbers by name, in order, and begins with Ghana chosen', () => {
		expect(named('defaultCountry').length).toBeGreaterThan(0);
		for (const field of named('defaultCountry')) {
			expect(field).toMatchObject({ type: 'options', default: 'GH' });
			const offered = choices(field);
			expect(offered.length).toBeGreaterThan(200);
			expect(offered).toContainEqual({ name: 'Ghana', value: 'GH' });
			for (const { name, value } of offered) expect(readPhoneCountry(name)).toBe(value);
			const names = offered.map(({ name }) => name);
			expect(names).toEqual([...names].sort((a, b) => a.localeCompare(b)));
		}
	});

	it('Only Types offers the types of transactions', () => {
		const [field] = named('onlyTypes');
		expect(field?.type).toBe('multiOptions');
		expect(field && choices(field).map(({ value }) => value)).toEqual(['adjustment', 'debit', 'refund', 'topup']);
	});

	it('every collection asks to add an option in the same words', () => {
		const collections = fields.filter(({ type }) => type === 'collection');
		expect(new Set(collections.map(({ placeholder }) => placeholder))).toEqual(new Set(['Add option']));
	});
});

it('the name of a contact is a field, not an option', () => {
	const own = new MessagingService().description.properties.filter(
		({ displayOptions }) =>
			displayOptions?.show?.resource?.includes('contact') && displayOptions.show.operation?.includes('create'),
	);
	expect(own.map(({ name }) => name)).toContain('name');
});

it('the label of every way to choose a number fits into its switch', () => {
	// The editor cuts "By Phone Number" to "By Phon".
	const modes = fields.flatMap((field) => field.modes ?? []).filter(({ name }) => name !== 'list');
	expect(modes.length).toBeGreaterThan(0);
	for (const { displayName } of modes) expect(displayName.length).toBeLessThanOrEqual(9);
});
