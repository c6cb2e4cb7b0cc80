-- Logins on the page, by the digest of their cookie.
create table relay.session (
	digest text primary key,
	token_id text not null references relay.token (id) on delete cascade,
	until timestamptz not null
);
create index on relay.session (token_id);
