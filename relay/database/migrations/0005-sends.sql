-- Calls with an idempotency key that are in flight, were accepted, or may have been accepted.
create table relay.send (
	id text primary key,
	-- Sandbox keys and live keys of the service are kept apart.
	mode text not null check (mode in ('live', 'sandbox')),
	key_digest text not null,
	content_digest text not null,
	-- As the contract names it; the method of a path that the contract does not have.
	endpoint text not null,
	api_key_digest text not null,
	-- Encrypted. Null once the outcome is known.
	recipient text,
	-- The last digits.
	recipient_end text,
	state text not null check (state in ('in_flight', 'accepted', 'unknown')),
	-- The process that makes the call.
	owner text not null,
	-- A call in flight is unknown after this time of the database's clock.
	until timestamptz not null,
	-- Of the service's response.
	status int,
	-- Listed fields of the response: no text, no code, no number.
	fields jsonb,
	settled_by text check (settled_by in ('service', 'person')),
	created_at timestamptz not null,
	settled_at timestamptz,
	unique (mode, key_digest)
);
create index on relay.send (created_at, id);
create index on relay.send (until) where state = 'in_flight';
create index on relay.send (created_at, id) where state <> 'accepted';
create index on relay.send (settled_at) where state = 'accepted';

-- Digests of the API keys that the service accepted.
create table relay.api_key (
	digest text primary key,
	accepted_at timestamptz not null
);

-- The next time that the service may get a request, if its rate is limited.
create table relay.pace (
	mode text primary key check (mode in ('live', 'sandbox')),
	next_slot timestamptz not null
);
