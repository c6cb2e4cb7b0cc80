-- Grows with each new job of the delivery. A job with a lower version is a leftover.
alter table relay.delivery add column version int not null default 0;
do $$ begin
	if to_regclass('pgboss.job') is not null then
		update pgboss.job set data = jsonb_build_object('events', data -> 'events', 'version', 0)
		where name like 'to\_%';
	end if;
end $$;
