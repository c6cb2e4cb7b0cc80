-- The rest of the service. Amounts are integers of 1/10000 currency unit; times are milliseconds since 1970 UTC.

ALTER TABLE messages ADD COLUMN subject TEXT;
ALTER TABLE messages ADD COLUMN batch_id TEXT;
ALTER TABLE messages ADD COLUMN package_id INTEGER;
ALTER TABLE messages ADD COLUMN scheduled_at INTEGER;
ALTER TABLE messages ADD COLUMN submitted_at INTEGER;
UPDATE messages SET submitted_at = created_at;
CREATE INDEX messages_by_time ON messages (created_at);
CREATE INDEX messages_by_batch ON messages (batch_id) WHERE batch_id IS NOT NULL;

-- SQLite cannot change a CHECK, so these tables are created again.
CREATE TABLE new_transitions (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	message_id TEXT NOT NULL REFERENCES messages (id),
	status TEXT NOT NULL CHECK (status IN ('submitted', 'sent', 'delivered', 'failed')),
	due_at INTEGER NOT NULL
) STRICT;
INSERT INTO new_transitions SELECT id, message_id, status, due_at FROM transitions;
DROP TABLE transitions;
ALTER TABLE new_transitions RENAME TO transitions;
CREATE INDEX transitions_by_time ON transitions (due_at, id);

CREATE TABLE new_wallet_transactions (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	type TEXT NOT NULL CHECK (type IN ('topup', 'debit', 'refund', 'adjustment')),
	amount INTEGER NOT NULL,
	balance_after INTEGER NOT NULL CHECK (balance_after >= 0),
	message_id TEXT,
	-- ID of a batch, a lookup or a top-up.
	reference TEXT,
	description TEXT NOT NULL,
	created_at INTEGER NOT NULL
) STRICT;
INSERT INTO new_wallet_transactions
	SELECT id, type, amount, sum(amount) OVER (ORDER BY id), message_id, NULL, type, created_at FROM wallet_transactions;
DROP TABLE wallet_transactions;
ALTER TABLE new_wallet_transactions RENAME TO wallet_transactions;
CREATE UNIQUE INDEX one_charge_and_one_refund ON wallet_transactions (message_id, type) WHERE message_id IS NOT NULL;
CREATE UNIQUE INDEX one_change_of_a_kind ON wallet_transactions (reference, type) WHERE reference IS NOT NULL;
CREATE INDEX wallet_transactions_by_time ON wallet_transactions (created_at);

CREATE TABLE new_sender_ids (
	name TEXT PRIMARY KEY,
	status TEXT NOT NULL CHECK (status IN ('approved', 'pending', 'rejected')),
	created_at INTEGER NOT NULL
) STRICT;
INSERT INTO new_sender_ids SELECT name, status, created_at FROM sender_ids ORDER BY rowid;
DROP TABLE sender_ids;
ALTER TABLE new_sender_ids RENAME TO sender_ids;

ALTER TABLE inbox ADD COLUMN channel TEXT NOT NULL DEFAULT 'sms' CHECK (channel IN ('sms', 'whatsapp'));

ALTER TABLE phone_texts ADD COLUMN channel TEXT NOT NULL DEFAULT 'sms' CHECK (channel IN ('sms', 'whatsapp'));

CREATE TABLE packages (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	name TEXT NOT NULL,
	credits INTEGER NOT NULL CHECK (credits > 0),
	credits_left INTEGER NOT NULL CHECK (credits_left BETWEEN 0 AND credits),
	created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE batches (
	id TEXT PRIMARY KEY,
	sender_id TEXT NOT NULL,
	text TEXT NOT NULL,
	priority INTEGER NOT NULL,
	segments INTEGER NOT NULL,
	-- Price of each message paid by the wallet.
	cost INTEGER NOT NULL,
	-- JSON list of numbers, in the order of the messages.
	recipients TEXT NOT NULL,
	total INTEGER NOT NULL,
	-- Number of recipients that have become messages.
	made INTEGER NOT NULL,
	-- JSON list of { package_id, count }: packages that pay for the first messages. The wallet pays for the rest.
	paid_by_packages TEXT NOT NULL,
	scheduled_at INTEGER,
	created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX batches_to_make ON batches (created_at) WHERE made < total;

CREATE TABLE verifications (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	phone TEXT NOT NULL,
	code TEXT NOT NULL,
	message_id TEXT NOT NULL,
	status TEXT NOT NULL CHECK (status IN ('pending', 'verified', 'blocked')),
	tries INTEGER NOT NULL,
	expires_at INTEGER NOT NULL,
	created_at INTEGER NOT NULL
) STRICT;
INSERT INTO sqlite_sequence (name, seq) VALUES ('verifications', 1000);

CREATE TABLE top_ups (
	reference TEXT PRIMARY KEY,
	amount INTEGER NOT NULL CHECK (amount > 0),
	fee INTEGER NOT NULL CHECK (fee >= 0),
	return_url TEXT,
	status TEXT NOT NULL CHECK (status IN ('pending', 'completed', 'failed', 'expired')),
	method TEXT CHECK (method IN ('card', 'mobile_money')),
	-- Time and status of its next change.
	due_at INTEGER,
	due_status TEXT CHECK (due_status IN ('completed', 'expired')),
	created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX top_ups_by_time ON top_ups (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE contacts (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	name TEXT,
	phone TEXT NOT NULL UNIQUE,
	-- JSON object of the custom fields.
	fields TEXT NOT NULL,
	created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE api_keys (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	name TEXT NOT NULL,
	-- Its last characters, to recognize it.
	hint TEXT NOT NULL,
	hash TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	revoked_at INTEGER
) STRICT;

CREATE TABLE callbacks (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	event TEXT NOT NULL CHECK (event IN ('message.status', 'wallet.low_balance')),
	-- JSON object that describes the event in the sandbox's own format.
	fact TEXT NOT NULL,
	message_id TEXT,
	url TEXT NOT NULL,
	status TEXT NOT NULL CHECK (status IN ('waiting', 'delivered', 'given_up')),
	attempts INTEGER NOT NULL,
	due_at INTEGER,
	created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX callbacks_by_time ON callbacks (due_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX callbacks_by_message ON callbacks (message_id) WHERE message_id IS NOT NULL;

CREATE TABLE callback_attempts (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	callback_id INTEGER NOT NULL REFERENCES callbacks (id),
	url TEXT NOT NULL,
	content_type TEXT NOT NULL,
	body TEXT NOT NULL,
	http_status INTEGER,
	answer TEXT,
	problem TEXT,
	started_at INTEGER NOT NULL,
	duration INTEGER NOT NULL
) STRICT;
CREATE INDEX callback_attempts_by_callback ON callback_attempts (callback_id);
