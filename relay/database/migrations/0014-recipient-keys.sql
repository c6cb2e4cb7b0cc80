-- A second key of a send, by its recipient. So a single send and an entry of a bulk send with the same key meet.
alter table relay.send add column recipient_key_digest text;
update relay.send set recipient_key_digest = key_digest where endpoint = 'sms.sendBulk' and call_digest is null;
create unique index on relay.send (mode, recipient_key_digest) where recipient_key_digest is not null;
