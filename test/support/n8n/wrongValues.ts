/** A value by the kind of failure that it causes. */
type Wrong = Readonly<Record<string, unknown>>;

const sender = (value: string) => ({ __rl: true, mode: 'name', value });
/** Values that are no phone number. */
export const wrongNumbers: Wrong = {
	empty: '={{ "" }}',
	missing: '={{ $json.nothing }}',
	letters: 'Ama Mensah',
	'too few digits': '020 123',
	'too many digits': '+233 20 123 4567 890',
	'no such number': '+233 11 123 4567',
	'no such country code': '+999 20 123 4567',
	'country code without +': '2348031234567',
	'a short code': '1234',
	'cut by a spreadsheet': '2.33201E+11',
	'two numbers': '0201234567, 0241234567',
	'a list': '={{ ["0201234567", "0241234567"] }}',
};
/** Values that are wrong for one recipient, but not for a list. */
const several = new Set(['two numbers', 'a list']);
/** Values that are no phone number in a list of several. */
export const wrongInList = Object.fromEntries(
	Object.entries(wrongNumbers).filter(([failure]) => !several.has(failure)),
);
/** Values that are no message. */
export const wrongTexts: Wrong = { empty: '={{ "" }}', 'too long': 'x'.repeat(1601) };
/** Values that are no time in the future. */
export const wrongTimes: Wrong = {
	past: '2020-01-01T08:00:00Z',
	unreadable: 'next Friday',
	'no such day': '2031-02-30T08:00:00Z',
	'shown twice by the clocks': '2031-11-02T01:30:00',
	'skipped by the clocks': '2031-03-09T02:30:00',
	'seconds, not milliseconds': '={{ 1924992000 }}',
};
/** Values that are no ID. */
export const wrongIds: Wrong = { empty: '={{ "" }}', missing: '={{ $json.nothing }}' };
/** Values that are no sender ID. */
export const wrongSender: Wrong = { empty: sender('={{ "" }}') };
/** Values that are no time limit. */
export const wrongLimit: Wrong = {
	'too long': 4000,
	'not a number': '={{ "soon" }}',
	empty: '={{ "" }}',
};
/** Values that are no amount. */
export const wrongAmounts: Wrong = {
	zero: 0,
	negative: -5,
	'not a number': '={{ "fifty" }}',
	empty: '={{ "" }}',
};

const customFields = (...values: ReadonlyArray<{ readonly name: string; readonly value: string }>) => ({
	customFields: { values: [...values] },
});
/** Wrong custom fields of a contact. */
export const wrongCustomFields = {
	customFields: {
		'no name': customFields({ name: '', value: 'Kumasi' }),
		'a name twice': customFields({ name: 'city', value: 'Kumasi' }, { name: ' city', value: 'Accra' }),
		'a field of the node': customFields({ name: 'phone', value: '+233241234567' }),
		'a list': customFields({ name: 'tags', value: '={{ ["new"] }}' }),
	},
	customFieldsJson: {
		'not JSON': { customFieldsJson: 'city: Kumasi' },
		'a list': { customFieldsJson: '["Kumasi"]' },
		'a list in a field': { customFieldsJson: '{"tags": ["new"]}' },
		'a name of Custom Fields': {
			...customFields({ name: 'city', value: 'Kumasi' }),
			customFieldsJson: '{"city": "Accra"}',
		},
	},
};

/** Wrong values of the spending limits. @param price name of the option with the price */
export const guardsOf = (price: string) => ({
	maxRecipients: {
		'too many': { maxRecipients: 1 },
		empty: { maxRecipients: '={{ $json.nothing }}' },
		'not a number': { maxRecipients: '={{ "ten" }}' },
		zero: { maxRecipients: 0 },
		negative: { maxRecipients: -1 },
	},
	maxSpend: {
		'too much': { maxSpend: 0.05, [price]: 0.05 },
		empty: { maxSpend: '={{ $json.nothing }}', [price]: 0.05 },
		'not a number': { maxSpend: '={{ "ten" }}', [price]: 0.05 },
		zero: { maxSpend: 0, [price]: 0.05 },
	},
	[price]: { missing: { maxSpend: 10 }, 'not a number': { maxSpend: 10, [price]: '={{ "0,05" }}' } },
	checkBalance: {
		'too low': { checkBalance: 'stop', [price]: 30 },
		missing: { checkBalance: '={{ $json.nothing }}', [price]: 0.05 },
	},
	sendOnceKey: { empty: { sendOnceKey: '={{ "" }}' }, 'cannot be recorded': { sendOnceKey: 'order-1' } },
	keyScope: {
		empty: { sendOnceKey: 'order-1', keyScope: '={{ $json.nothing }}' },
		'without a relay': { sendOnceKey: 'order-1', keyScope: 'account' },
	},
});
/** Wrong spending limits of an SMS. */
export const guards = guardsOf('pricePerSegment');
/** Wrong spending limits of a send without a price. */
export const { maxRecipients, sendOnceKey, keyScope } = guards;
/** Wrong values of the options for phone numbers. */
export const numbers = {
	defaultCountry: {
		'not a country': { defaultCountry: 'Atlantis' },
		missing: { defaultCountry: '={{ $json.nothing }}' },
	},
	unknownNumberRanges: {
		'not a choice': { unknownNumberRanges: 'perhaps' },
		missing: { unknownNumberRanges: '={{ $json.nothing }}' },
	},
};
/** Wrong values of the options for the recipient of a text. */
export const textNumbers = {
	...numbers,
	landlines: { 'not a choice': { landlines: 'perhaps' }, missing: { landlines: '={{ $json.nothing }}' } },
};
/** Wrong values of Priority. */
export const priority = {
	priority: { missing: { priority: '={{ $json.nothing }}' }, text: { priority: '={{ "yes" }}' } },
};
const hours = {
	from: '08:00',
	until: '19:00',
	days: ['monday'],
	timeZone: 'Africa/Accra',
	holidays: '',
	outside: 'stop',
};
const withHours = (values: Partial<typeof hours>) => ({ sendingHours: { values: { ...hours, ...values } } });
/** Yesterday and the days after it, as dates. */
const year = `={{ [...Array(400).keys()].map((day) => $now.plus({ days: day - 1 }).toISODate()) }}`;
/** Wrong sending hours. */
export const sendingHours = {
	sendingHours: {
		'no hours': { sendingHours: '={{ $json.nothing }}' },
		'words as a time': withHours({ from: '8 in the morning' }),
		'an empty time': withHours({ until: '={{ $json.nothing }}' }),
		'an end before the start': withHours({ from: '19:00', until: '08:00' }),
		'no day': withHours({ days: [] }),
		'no such day': { sendingHours: { values: { ...hours, days: '={{ "monday, fryday" }}' } } },
		'an unknown time zone': withHours({ timeZone: 'Ghana' }),
		'a missing time zone': withHours({ timeZone: '={{ $json.nothing }}' }),
		'an unreadable holiday': withHours({ holidays: '2026-12-25, Boxing Day' }),
		'missing holidays': withHours({ holidays: '={{ $json.nothing }}' }),
		'a year of holidays': withHours({ holidays: year }),
		'no such choice': withHours({ outside: '={{ "wait" }}' }),
	},
};
/** Wrong values of Dry Run. */
export const dryRun = {
	dryRun: { missing: { dryRun: '={{ $json.nothing }}' }, text: { dryRun: '={{ "maybe" }}' } },
};
/** Wrong values of the options for speed. */
export const rate = {
	parallelRequests: {
		'not a number': { parallelRequests: '={{ "many" }}' },
		'too many': { parallelRequests: 251 },
		half: { parallelRequests: 1.5 },
	},
	requestsPerSecond: { missing: { requestsPerSecond: '={{ $json.nothing }}' } },
};
/** Wrong spending limits of a question, which is one message. */
export const guardsOfQuestion = {
	...guards,
	maxRecipients: {
		empty: guards.maxRecipients.empty,
		'not a number': guards.maxRecipients['not a number'],
		zero: guards.maxRecipients.zero,
		negative: guards.maxRecipients.negative,
	},
	maxSpend: { ...guards.maxSpend, 'too much': { maxSpend: 0.01, pricePerSegment: 0.05 } },
	checkBalance: { ...guards.checkBalance, 'too low': { checkBalance: 'stop', pricePerSegment: 50 } },
};
