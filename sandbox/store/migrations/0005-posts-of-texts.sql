-- Phone messages are delivered to the inbound URLs with retries and a log, as callbacks are.
CREATE TABLE new_callbacks (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	event TEXT NOT NULL CHECK (event IN ('message.status', 'wallet.low_balance', 'sms.inbound', 'whatsapp.inbound')),
	-- JSON object that describes the event in the sandbox's own format.
	fact TEXT NOT NULL,
	message_id TEXT,
	-- The first delivery of the phone message that it retries.
	text_post_id INTEGER,
	url TEXT NOT NULL,
	status TEXT NOT NULL CHECK (status IN ('waiting', 'delivered', 'given_up')),
	attempts INTEGER NOT NULL,
	due_at INTEGER,
	created_at INTEGER NOT NULL
) STRICT;
INSERT INTO new_callbacks
	SELECT id, event, fact, message_id, NULL, url, status, attempts, due_at, created_at FROM callbacks;
CREATE TABLE new_callback_attempts (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	callback_id INTEGER NOT NULL REFERENCES new_callbacks (id),
	url TEXT NOT NULL,
	content_type TEXT NOT NULL,
	body TEXT NOT NULL,
	http_status INTEGER,
	answer TEXT,
	problem TEXT,
	started_at INTEGER NOT NULL,
	duration INTEGER NOT NULL
) STRICT;
INSERT INTO new_callback_attempts
	SELECT id, callback_id, url, content_type, body, http_status, answer, problem, started_at, duration
	FROM callback_attempts;
DROP TABLE callback_attempts;
DROP TABLE callbacks;
ALTER TABLE new_callbacks RENAME TO callbacks;
ALTER TABLE new_callback_attempts RENAME TO callback_attempts;
CREATE INDEX callbacks_by_time ON callbacks (due_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX callbacks_by_message ON callbacks (message_id) WHERE message_id IS NOT NULL;
CREATE INDEX callback_attempts_by_callback ON callback_attempts (callback_id);
