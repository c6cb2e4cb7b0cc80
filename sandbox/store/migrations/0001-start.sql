-- Amounts are integers of 1/10000 currency unit; times are milliseconds since 1970 UTC.

CREATE TABLE wallet (
	id INTEGER PRIMARY KEY CHECK (id = 1),
	currency TEXT NOT NULL,
	balance INTEGER NOT NULL CHECK (balance >= 0)
) STRICT;

CREATE TABLE wallet_transactions (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	type TEXT NOT NULL CHECK (type IN ('topup', 'debit', 'refund')),
	amount INTEGER NOT NULL,
	message_id TEXT,
	created_at INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX one_charge_and_one_refund ON wallet_transactions (message_id, type) WHERE message_id IS NOT NULL;

CREATE TABLE sender_ids (
	name TEXT PRIMARY KEY,
	status TEXT NOT NULL CHECK (status IN ('approved', 'pending')),
	created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE messages (
	row INTEGER PRIMARY KEY AUTOINCREMENT,
	id TEXT NOT NULL UNIQUE,
	channel TEXT NOT NULL,
	recipient TEXT NOT NULL,
	sender_id TEXT NOT NULL,
	text TEXT NOT NULL,
	priority INTEGER NOT NULL,
	segments INTEGER NOT NULL,
	cost INTEGER NOT NULL,
	status TEXT NOT NULL CHECK (status IN ('queued', 'submitted', 'sent', 'delivered', 'failed')),
	created_at INTEGER NOT NULL,
	sent_at INTEGER,
	delivered_at INTEGER,
	failed_at INTEGER
) STRICT;

CREATE INDEX messages_by_recipient ON messages (recipient, row);

CREATE TABLE transitions (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	message_id TEXT NOT NULL REFERENCES messages (id),
	status TEXT NOT NULL CHECK (status IN ('sent', 'delivered', 'failed')),
	due_at INTEGER NOT NULL
) STRICT;

CREATE INDEX transitions_by_time ON transitions (due_at, id);

CREATE TABLE inbox (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	sender TEXT NOT NULL,
	recipient TEXT NOT NULL,
	text TEXT NOT NULL,
	keyword TEXT CHECK (keyword IN ('opt_out', 'opt_in')),
	received_at INTEGER NOT NULL
) STRICT;

CREATE TABLE opt_outs (
	number TEXT PRIMARY KEY,
	created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE phone_texts (
	row INTEGER PRIMARY KEY AUTOINCREMENT,
	id TEXT NOT NULL UNIQUE,
	sender TEXT NOT NULL,
	recipient TEXT NOT NULL,
	text TEXT NOT NULL,
	url TEXT NOT NULL,
	status TEXT NOT NULL CHECK (status IN ('posting', 'posted', 'failed')),
	http_status INTEGER,
	problem TEXT,
	created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX phone_texts_by_sender ON phone_texts (sender, row);

CREATE TABLE settings (
	name TEXT PRIMARY KEY,
	value TEXT NOT NULL
) STRICT;
