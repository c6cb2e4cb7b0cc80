-- The service responded 429, so all processes wait until this time.
alter table relay.pace add column paused_until timestamptz;
