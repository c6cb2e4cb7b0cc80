-- Calls whose later attempt was rejected. An earlier one that arrives after it is not forwarded.
create table relay.overtaken_call (
	digest text primary key,
	-- The number of the rejected attempt.
	attempt int not null,
	rejected_at timestamptz not null
);
create index on relay.overtaken_call (rejected_at);
