/** A list of names in the contract, and the words of a name that could belong to it. */
export interface ContractList {
	readonly file: string;
	/** A constant of the file, or a key of one: `chargeAliases.cost`. */
	readonly list: string;
	readonly words: RegExp;
	/** Words of a name that belongs to something else. */
	readonly others?: RegExp;
}

const ID = /^(ids?|uuid|guid|uid|sid|ref|references?|identifier|tracking|serial|handle)$/;
const STATUS = /^(status|state|stage|phase|progress|delivery)$/;
const BALANCE = /^(balances?|bal|available|credits?|left|remaining|remainder|wallet|account|funds?|money)$/;
const COST = /^(costs?|charged?|charges|price|fees?|debit|debits|debited|deducted|deduction|spent|paid|billed|amount)$/;
const PHONE = /^(phone|mobile|msisdn|tel|telephone|cell|cellphone|handset|number|recipient|to|destination|receiver)$/;
const NAME = /^(name|label|title|nickname|contact|person|display)$/;
const TEXT = /^(messages?|msg|reason|text|details?|description|explanation|error|cause|info|note)$/;

const CONTRACT = 'shared/contract/';

function listIn(file: string, list: string, words: RegExp, others?: RegExp): ContractList {
	return { file, list, words, ...(others && { others }) };
}

const balance = listIn(`${CONTRACT}charges.ts`, 'balanceNames', BALANCE);
const cost = listIn(`${CONTRACT}charges.ts`, 'chargeAliases.cost', COST);

const message = {
	message_id: listIn(
		`${CONTRACT}messageStatus.ts`,
		'messageIdAliases',
		ID,
		/^(bulk|batch|group|campaign|job|status|state|error)$/,
	),
	status: listIn(`${CONTRACT}messageStatus.ts`, 'messageAliases.status', STATUS),
	cost,
};

const send = { ...message, balance };

/** The statuses that mean that a message was accepted, and those that mean that it was not. */
export const positiveWords = listIn(`${CONTRACT}words.ts`, 'YES', STATUS);
export const negativeWords = listIn(`${CONTRACT}words.ts`, 'NO', STATUS);

/** Words in a status that is not one of an accepted message: `RejectedByNetwork`, `not_sent`. */
export const NEGATIVE =
	/not(?![ehi])|reject|fail|invalid|refus|den(y|ied)|declin|block|blacklist|barred|insufficient|opted.?out|unsubscri|undeliver|expire|cancel|(?<!no.?)error|unsupported|disabled/i;

/** Where the contract keeps the other names of a field, by endpoint and field. IDs come before numbers. */
export const contractLists: Readonly<Record<string, Readonly<Record<string, ContractList>>>> = {
	'sms.send': send,
	'whatsapp.send': send,
	'email.send': send,
	'voice.send': send,
	'sms.get': message,
	'message.get': message,
	'sms.sendBulk': {
		batch_id: listIn(`${CONTRACT}sms.ts`, 'batchIdAliases', ID, /^(message|msg|status|state|error)$/),
		cost,
		balance,
		'results.message_id': listIn(`${CONTRACT}sms.ts`, 'bulkResultAliases.message_id', ID),
		'results.to': listIn(`${CONTRACT}sms.ts`, 'bulkResultAliases.to', PHONE),
		'results.status': listIn(`${CONTRACT}sms.ts`, 'bulkResultAliases.status', STATUS),
	},
	'verification.start': {
		verification_id: listIn(`${CONTRACT}verification.ts`, 'verificationIdAliases', ID),
		cost,
		balance,
	},
	'lookup.phone': {
		valid: listIn(`${CONTRACT}lookup.ts`, 'lookupAliases.valid', /^(valid|active|exists|reachable)$/),
		carrier: listIn(
			`${CONTRACT}lookup.ts`,
			'lookupAliases.carrier',
			/^(carrier|network|operator|provider|telco|telecom)$/,
		),
		country: listIn(`${CONTRACT}lookup.ts`, 'lookupAliases.country', /^(country|nation|region|iso)$/),
		cost: listIn(`${CONTRACT}lookup.ts`, 'lookupAliases.cost', COST),
	},
	'wallet.getBalance': {
		balance,
		currency: listIn(`${CONTRACT}wallet.ts`, 'balanceAliases.currency', /^(currency|ccy|unit|units)$/),
	},
	'wallet.listTransactions': {
		id: listIn(`${CONTRACT}wallet.ts`, 'transactionAliases.id', ID),
		type: listIn(`${CONTRACT}wallet.ts`, 'transactionAliases.type', /^(type|kind|category|direction|nature)$/),
		amount: listIn(
			`${CONTRACT}wallet.ts`,
			'transactionAliases.amount',
			/^(amount|value|sum|total|money)$/,
			/^(balance|bal|available|funds|after|remaining|left)$/,
		),
		balance: listIn(`${CONTRACT}wallet.ts`, 'transactionAliases.balance', BALANCE),
		created_at: listIn(
			`${CONTRACT}wallet.ts`,
			'transactionAliases.created_at',
			/^(created|date|time|datetime|timestamp|at|on|when|posted)$/,
		),
	},
	'senderId.list': {
		name: listIn(`${CONTRACT}senderId.ts`, 'NAMES', /^(name|sender|label|title|mask|originator|header|alias|text)$/),
		status: listIn(
			`${CONTRACT}senderId.ts`,
			'senderIdAliases.status',
			/^(status|state|stage|approval|approved|active)$/,
		),
	},
	'contact.list': {
		id: listIn(`${CONTRACT}contact.ts`, 'contactAliases.id', ID),
		phone: listIn(`${CONTRACT}contact.ts`, 'contactAliases.phone', PHONE),
		name: listIn(`${CONTRACT}contact.ts`, 'contactAliases.name', NAME),
	},
};

/** Where the client keeps the places of the code and the text of a rejection. */
export const errorLists: Readonly<Record<string, ContractList>> = {
	'error.message': listIn('shared/client/errorBody.ts', 'MESSAGE_PLACES', TEXT),
	'error.code': listIn('shared/client/errorBody.ts', 'CODE_PLACES', /^(code|error|errno|type|key|slug)$/),
};
