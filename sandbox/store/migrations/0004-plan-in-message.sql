-- The planned status changes move into the message's row, so that a send or a status change writes one row.
CREATE TABLE new_messages (
	row INTEGER PRIMARY KEY,
	id TEXT NOT NULL UNIQUE,
	channel TEXT NOT NULL,
	recipient TEXT NOT NULL,
	sender_id TEXT NOT NULL,
	subject TEXT,
	text TEXT NOT NULL,
	priority INTEGER NOT NULL,
	segments INTEGER NOT NULL,
	cost INTEGER NOT NULL,
	batch_id TEXT,
	package_id INTEGER,
	status TEXT NOT NULL CHECK (status IN ('queued', 'submitted', 'sent', 'delivered', 'failed')),
	created_at INTEGER NOT NULL,
	scheduled_at INTEGER,
	submitted_at INTEGER,
	sent_at INTEGER,
	delivered_at INTEGER,
	failed_at INTEGER,
	-- JSON list of [status, time], oldest first; empty if nothing is planned.
	ahead TEXT NOT NULL,
	-- Time of the first of them.
	due_at INTEGER
) STRICT;
INSERT INTO new_messages
	SELECT row, id, channel, recipient, sender_id, subject, text, priority, segments, cost, batch_id, package_id, status,
		created_at, scheduled_at, submitted_at, sent_at, delivered_at, failed_at,
		(SELECT json_group_array(json_array(status, due_at) ORDER BY due_at, transitions.id)
			FROM transitions WHERE message_id = messages.id),
		(SELECT min(due_at) FROM transitions WHERE message_id = messages.id)
	FROM messages;
DROP TABLE transitions;
DROP TABLE messages;
ALTER TABLE new_messages RENAME TO messages;
CREATE INDEX messages_by_recipient ON messages (recipient, row);
CREATE INDEX messages_by_batch ON messages (batch_id) WHERE batch_id IS NOT NULL;
CREATE INDEX messages_by_due ON messages (due_at) WHERE due_at IS NOT NULL;

-- Message counts and spend by hour (time / 3600000) of the message or transaction. The overview reads these few rows
-- instead of counting everything.
CREATE TABLE message_counts (
	hour INTEGER NOT NULL,
	channel TEXT NOT NULL,
	status TEXT NOT NULL,
	total INTEGER NOT NULL,
	PRIMARY KEY (hour, channel, status)
) STRICT, WITHOUT ROWID;
INSERT INTO message_counts
	SELECT created_at / 3600000 AS hour, channel, status, count(*) FROM messages GROUP BY hour, channel, status;
CREATE TABLE spending (
	hour INTEGER PRIMARY KEY,
	-- Charges minus refunds.
	total INTEGER NOT NULL
) STRICT;
INSERT INTO spending
	SELECT created_at / 3600000 AS hour, -sum(amount) FROM wallet_transactions
	WHERE type IN ('debit', 'refund') GROUP BY hour;
DROP INDEX wallet_transactions_by_time;
