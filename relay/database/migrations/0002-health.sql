-- When a worker that left a failing receiver alone tries it again.
alter table relay.subscription add column next_probe_at timestamptz;

-- Pending deliveries whose event was removed at the end of the retention time.
alter table relay.subscription add column expired int not null default 0;
