import type { INodeParameters } from 'n8n-workflow';
import { nameOf, operationOf, PHONE } from './calls';
import type { GoldenHarness } from './goldenHarness';

const chapter = 'Rejected by the node, before anything is sent';

const sender = (value: string) => ({ __rl: true, mode: 'name', value });
const wrongNumbers: Readonly<Record<string, unknown>> = {
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
	'a list': '={{ ["0201234567"] }}',
};
/** Values that are wrong for one recipient, but not for a list. */
const several = new Set(['two numbers', 'a list']);
const wrongInList = Object.fromEntries(Object.entries(wrongNumbers).filter(([failure]) => !several.has(failure)));
const wrongTexts: Readonly<Record<string, unknown>> = { empty: '={{ "" }}', 'too long': 'x'.repeat(1601) };
const wrongTimes: Readonly<Record<string, unknown>> = {
	past: '2020-01-01T08:00:00Z',
	unreadable: 'next Friday',
	'no such day': '2031-02-30T08:00:00Z',
	'shown twice by the clocks': '2031-11-02T01:30:00',
	'skipped by the clocks': '2031-03-09T02:30:00',
	'seconds, not milliseconds': '={{ 1924992000 }}',
};
const wrongIds: Readonly<Record<string, unknown>> = { empty: '={{ "" }}', missing: '={{ $json.nothing }}' };
const wrongSender: Readonly<Record<string, unknown>> = { empty: sender('={{ "" }}') };
const wrongLimit: Readonly<Record<string, unknown>> = {
	'too long': 4000,
	'not a number': '={{ "soon" }}',
	empty: '={{ "" }}',
};
const wrongAmounts: Readonly<Record<string, unknown>> = {
	zero: 0,
	negative: -5,
	'not a number': '={{ "fifty" }}',
	empty: '={{ "" }}',
};

/** Wrong values by operation and field. */
const wrongFields: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>> = {
	'contact.create': { phone: wrongNumbers },
	'contact.getMany': { limit: { zero: 0, 'not a number': '={{ "all" }}' } },
	'email.send': {
		to: { empty: '={{ "" }}', 'a phone number': PHONE, 'no domain': 'ama' },
		subject: { empty: '={{ "" }}' },
		message: { empty: '={{ "" }}' },
	},
	'message.get': { messageId: wrongIds },
	'message.waitForDelivery': { messageId: wrongIds, timeLimit: wrongLimit },
	'phoneNumber.lookUp': { phone: wrongNumbers },
	'sms.get': { messageId: { ...wrongIds, 'a path': '..' } },
	'sms.send': { senderId: wrongSender, to: wrongNumbers, message: wrongTexts },
	'sms.sendAndWait': { senderId: wrongSender, to: wrongNumbers, message: wrongTexts },
	'sms.sendBulk': { senderId: wrongSender, to: wrongInList, message: wrongTexts },
	'sms.sendLater': {
		senderId: wrongSender,
		to: wrongNumbers,
		message: wrongTexts,
		sendAt: { ...wrongTimes, empty: '={{ "" }}' },
	},
	'text.estimateCost': {
		recipients: { negative: -1, half: 1.5, 'not a number': '={{ "all" }}' },
		pricePerSegment: { negative: -1, 'not a number': '={{ "0,05" }}' },
	},
	'verification.check': { verificationId: { empty: '={{ "" }}', letters: 'abc' }, code: { empty: '={{ "" }}' } },
	'verification.start': { senderId: wrongSender, phone: wrongNumbers },
	'voice.send': { to: wrongNumbers, message: wrongTexts },
	'wallet.createTopUp': { amount: wrongAmounts },
	'wallet.getManyTransactions': { limit: { zero: 0, 'not a number': '={{ "all" }}', half: 1.5 } },
	'wallet.getTopUp': { reference: wrongIds },
	'wallet.waitForTopUp': { reference: wrongIds, timeLimit: wrongLimit },
	'whatsapp.send': { to: wrongNumbers, message: wrongTexts },
};

/** Wrong values of the spending limits. @param price name of the option with the price */
const guardsOf = (price: string) => ({
	maxRecipients: {
		'too many': { maxRecipients: 1 },
		empty: { maxRecipients: '={{ $json.nothing }}' },
		'not a number': { maxRecipients: '={{ "ten" }}' },
		negative: { maxRecipients: -1 },
	},
	maxSpend: {
		'too much': { maxSpend: 0.05, [price]: 0.05 },
		empty: { maxSpend: '={{ $json.nothing }}', [price]: 0.05 },
		'not a number': { maxSpend: '={{ "ten" }}', [price]: 0.05 },
	},
	[price]: { missing: { maxSpend: 10 }, 'not a number': { maxSpend: 10, [price]: '={{ "0,05" }}' } },
	checkBalance: {
		'too low': { checkBalance: 'stop', [price]: 30 },
		missing: { checkBalance: '={{ $json.nothing }}', [price]: 0.05 },
	},
	sendOnceKey: { empty: { sendOnceKey: '={{ "" }}' }, 'cannot be recorded': { sendOnceKey: 'order-1' } },
});
const guards = guardsOf('pricePerSegment');
const { maxRecipients, sendOnceKey } = guards;
const country = {
	defaultCountry: {
		'not a country': { defaultCountry: 'Atlantis' },
		missing: { defaultCountry: '={{ $json.nothing }}' },
	},
};
const priority = { priority: { missing: { priority: '={{ $json.nothing }}' }, text: { priority: '={{ "yes" }}' } } };
const rate = {
	parallelRequests: {
		'not a number': { parallelRequests: '={{ "many" }}' },
		'too many': { parallelRequests: 251 },
		half: { parallelRequests: 1.5 },
	},
	requestsPerSecond: { missing: { requestsPerSecond: '={{ $json.nothing }}' } },
};
/** The same for a question, which is one message. */
const guardsOfQuestion = {
	...guards,
	maxRecipients: {
		empty: guards.maxRecipients.empty,
		'not a number': guards.maxRecipients['not a number'],
		negative: guards.maxRecipients.negative,
	},
	maxSpend: { ...guards.maxSpend, 'too much': { maxSpend: 0.01, pricePerSegment: 0.05 } },
	checkBalance: { ...guards.checkBalance, 'too low': { checkBalance: 'stop', pricePerSegment: 50 } },
};

/** Wrong values by operation and option. */
const wrongOptions: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, INodeParameters>>>>>> = {
	'contact.create': { ...country, name: {} },
	'email.send': { ...rate, maxRecipients, sendOnceKey },
	'phoneNumber.lookUp': { ...country, ...guardsOf('pricePerLookup'), ...rate },
	'phoneNumber.format': country,
	'sms.send': { ...country, ...guards, ...rate, ...priority },
	'sms.sendBulk': {
		...country,
		...guards,
		...rate,
		...priority,
		excludedNumbers: {
			'an entry that is not a number': { excludedNumbers: '0241234567, Kofi' },
			missing: { excludedNumbers: '={{ $json.nothing }}' },
		},
		skipRejectedNumbers: { missing: { skipRejectedNumbers: '={{ $json.nothing }}' } },
		recipientsPerRequest: {
			zero: { recipientsPerRequest: 0 },
			'not a number': { recipientsPerRequest: '={{ "all" }}' },
		},
		sendAt: Object.fromEntries(
			Object.entries({ ...wrongTimes, missing: '={{ $json.nothing }}' }).map(([name, sendAt]) => [name, { sendAt }]),
		),
	},
	'sms.sendAndWait': {
		...country,
		...priority,
		...guardsOfQuestion,
		limitWaitTime: {
			zero: {
				limitWaitTime: { values: { limitType: 'afterTimeInterval', resumeAmount: 0, resumeUnit: 'hours' } },
			},
			past: { limitWaitTime: { values: { limitType: 'atSpecifiedTime', maxDateAndTime: '2020-01-01T08:00:00Z' } } },
			unreadable: { limitWaitTime: { values: { limitType: 'atSpecifiedTime', maxDateAndTime: 'soon' } } },
		},
	},
	'sms.sendLater': { ...country, ...guards, ...rate, ...priority },
	'verification.check': {
		acceptSuccess: {
			missing: { acceptSuccess: '={{ $json.nothing }}' },
			text: { acceptSuccess: '={{ "maybe" }}' },
		},
	},
	'verification.start': { ...country, maxRecipients, sendOnceKey },
	'voice.send': { ...country, ...guardsOf('pricePerCall'), ...rate },
	'wallet.createTopUp': {
		returnUrl: {
			missing: { returnUrl: '={{ $json.nothing }}' },
			'plain http': { returnUrl: 'http://shop.example' },
			'not a URL': { returnUrl: 'shop' },
		},
	},
	'whatsapp.send': { ...country, ...rate, maxRecipients, sendOnceKey },
};

/** Fields and options that accept every value. */
const alwaysValid = new Set([
	'options',
	'phoneNumber.format.phone',
	'text.estimateCost.message',
	'returnAll',
	'responseType',
	'approvalOptions',
	'name',
]);

/** Fields and options that the table does not cover, by operation. The test expects none. */
export function uncoveredFields(ids: readonly string[]): string[] {
	return ids.flatMap((id) => {
		const { fields } = operationOf(id);
		const options = fields.find(({ name }) => name === 'options')?.options ?? [];
		const covered = new Set([
			...Object.keys(wrongFields[id] ?? {}),
			...Object.keys(wrongOptions[id] ?? {}),
			...alwaysValid,
		]);
		return [...fields, ...options]
			.map(({ name }) => `${id}.${name}`)
			.filter((path) => !covered.has(path) && !covered.has(path.slice(id.length + 1)));
	});
}

/** Records every field and option that the node rejects without a request. */
export async function recordLocalRejections({
	record,
	at,
	note,
	testCredential,
	sandbox,
}: GoldenHarness): Promise<void> {
	const items = [{}, {}];
	const named = (id: string, name: string) => {
		const { fields } = operationOf(id);
		const all = [...fields, ...(fields.find((field) => field.name === 'options')?.options ?? [])];
		const field = all.find((one) => one.name === name);
		if (!field || !('displayName' in field)) throw new Error(`${id} has no ${name}`);
		return field.displayName;
	};
	for (const [id, fields] of Object.entries(wrongFields)) {
		for (const [name, values] of Object.entries(fields)) {
			for (const [failure, value] of Object.entries(values)) {
				const parameters = { [name]: value, ...(name === 'limit' && { returnAll: false }) } as INodeParameters;
				// The link below a question contains the execution ID, and the node counts its length.
				await record(chapter, `${named(id, name)}: ${failure}`, id, {
					parameters,
					executionId: `golden-${name}-${failure}`,
				});
			}
		}
	}
	for (const [id, options] of Object.entries(wrongOptions)) {
		for (const [name, values] of Object.entries(options)) {
			for (const [failure, value] of Object.entries(values)) {
				const to = id === 'sms.sendBulk' ? { to: '0201234567, 0241234567' } : {};
				const parameters = { ...to, options: value };
				// A question accepts one item only.
				const given = id === 'sms.sendAndWait' ? {} : { items };
				await record(chapter, `${named(id, name)}: ${failure}`, id, { parameters, ...given });
			}
		}
	}
	for (const [failure, credential] of Object.entries({
		'API Key: missing': { apiKey: '' },
		'API Key: for another service': { apiKey: 'pk_live_1' },
		'API Key: with a space': { apiKey: 'sk_sandbox demo' },
		'Base URL: missing': { baseUrl: '' },
		'Base URL: not a URL': { baseUrl: 'our service' },
		'Base URL: plain http': { baseUrl: 'http://service.example', apiKey: 'sk_live_1' },
		'Base URL: with a password': { baseUrl: 'https://ama:secret@service.example' },
		'Base URL: with a query': { baseUrl: 'https://service.example/api/v1/?key=1' },
		'Base URL: another scheme': { baseUrl: 'ftp://service.example' },
		'Base URL: another path': { baseUrl: `${sandbox.url}/nowhere/` },
	})) {
		await at(credential, async () => {
			await record(chapter, failure, 'sms.send');
			note(chapter, failure, 'Credential test', (await testCredential()).message);
		});
	}
	await record(chapter, 'Several items', 'sms.sendAndWait', { items });
	await at({ apiKey: 'sk_live_1' }, () => record(chapter, 'n8n has no public address', 'sms.sendAndWait'));
	await record(chapter, 'An expression that fails', 'sms.send', {
		parameters: { message: "={{ $('No such node').item.json.x }}" },
	});
	const settings = { onError: 'continueRegularOutput' } as const;
	await record(chapter, 'An expression that fails', 'sms.send', {
		parameters: { message: "={{ $('No such node').item.json.x }}" },
		settings,
		where: `${nameOf('sms.send')} (continue)`,
	});
}
