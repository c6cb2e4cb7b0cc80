/** A table whose rows are moved. */
export interface MovedTable {
	readonly name: string;
	/** Columns that give the order of the rows. */
	readonly order: string;
	/** The column with a sealed value, if there is one. */
	readonly sealed?: string;
}

/** All tables with data, each after those that it refers to. */
export const MOVED_TABLES: readonly MovedTable[] = [
	{ name: 'setting', order: 'name', sealed: 'value' },
	{ name: 'token', order: 'created_at, id' },
	{ name: 'session', order: 'digest' },
	{ name: 'subscription', order: 'created_at, id', sealed: 'secret' },
	{ name: 'event', order: 'sequence' },
	{ name: 'delivery', order: 'sequence, subscription_id' },
	{ name: 'seen', order: 'digest' },
	{ name: 'progress', order: 'message_id' },
	{ name: 'send', order: 'created_at, id', sealed: 'recipient' },
	{ name: 'api_key', order: 'digest' },
	{ name: 'overtaken_call', order: 'digest' },
	{ name: 'pace', order: 'mode' },
];
