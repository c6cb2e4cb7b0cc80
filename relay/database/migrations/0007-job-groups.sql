-- Without statistics, PostgreSQL used this index to look for earlier deliveries of a message, and read all pending ones
-- for each. That query does not imply the new condition.
drop index relay.delivery_subscription_id_created_at_idx;
create index on relay.delivery (subscription_id, created_at) where settled_at is null;

-- A job has a list of events.
do $$ begin
	if to_regclass('pgboss.job') is not null then
		update pgboss.job set data = (data - 'event') || jsonb_build_object('events', jsonb_build_array(data -> 'event'))
		where name like 'to\_%' and data ? 'event';
	end if;
end $$;
