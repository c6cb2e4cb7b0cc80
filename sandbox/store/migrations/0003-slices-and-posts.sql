-- Recipients of a bulk send, some hundred per row. A slice is deleted when all its recipients have become messages.
-- Slices without a batch belong to a request that ended before it was charged. They are deleted at the start.
CREATE TABLE batch_slices (
	batch_id TEXT NOT NULL,
	-- Position of its first recipient in the batch, from 0.
	first INTEGER NOT NULL,
	count INTEGER NOT NULL CHECK (count > 0),
	-- JSON list of numbers, in the order of the messages.
	recipients TEXT NOT NULL,
	PRIMARY KEY (batch_id, first)
) STRICT, WITHOUT ROWID;
INSERT INTO batch_slices (batch_id, first, count, recipients)
	SELECT batches.id, number.key / 500 * 500, count(*), json_group_array(number.value ORDER BY number.key)
	FROM batches, json_each(batches.recipients) AS number
	WHERE batches.made < batches.total
	GROUP BY batches.id, number.key / 500;
ALTER TABLE batches DROP COLUMN recipients;

-- Deliveries of a phone message, one row per URL.
CREATE TABLE phone_text_posts (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	text_id TEXT NOT NULL REFERENCES phone_texts (id),
	url TEXT NOT NULL,
	status TEXT NOT NULL CHECK (status IN ('posting', 'posted', 'failed')),
	http_status INTEGER,
	problem TEXT
) STRICT;
INSERT INTO phone_text_posts (text_id, url, status, http_status, problem)
	SELECT id, url, status, http_status, problem FROM phone_texts ORDER BY row;
CREATE INDEX phone_text_posts_by_text ON phone_text_posts (text_id);
ALTER TABLE phone_texts DROP COLUMN url;
ALTER TABLE phone_texts DROP COLUMN status;
ALTER TABLE phone_texts DROP COLUMN http_status;
ALTER TABLE phone_texts DROP COLUMN problem;

-- ID of the phone message; null if no phone sent it.
ALTER TABLE inbox ADD COLUMN text_id TEXT;
CREATE UNIQUE INDEX inbox_once_a_text ON inbox (text_id) WHERE text_id IS NOT NULL;
