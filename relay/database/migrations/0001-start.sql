-- Events, in the order of their arrival.
create table relay.event (
	id text primary key,
	sequence bigint generated always as identity unique,
	type text not null,
	-- Deliveries with the same key keep their order. Null: any order.
	order_key text,
	-- An opt-out leaves first.
	urgent boolean not null default false,
	-- A receipt that is behind its message. It is logged and not delivered.
	late boolean not null default false,
	-- The phone number, to search and erase by.
	party text,
	received_at timestamptz not null,
	data jsonb not null,
	-- The request as it arrived. jsonb rejects some texts that JSON allows.
	body bytea not null,
	content_type text,
	-- How often the event arrived.
	copies int not null default 1
);
create index on relay.event (received_at);
create index on relay.event (type, sequence desc);
create index on relay.event (party, sequence desc) where party is not null;

-- Digests of events that are recognized again for a while.
create table relay.seen (
	digest text primary key,
	event_id text not null,
	until timestamptz not null
);
create index on relay.seen (until);

-- The statuses of each message.
create table relay.progress (
	message_id text primary key,
	rank int not null default -1,
	reported text[] not null default '{}',
	updated_at timestamptz not null
);
create index on relay.progress (updated_at);

create table relay.token (
	id text primary key,
	digest text unique not null,
	name text not null,
	kind text not null check (kind in ('n8n', 'zapier', 'script', 'admin')),
	created_at timestamptz not null,
	last_used_at timestamptz,
	revoked_at timestamptz
);

create table relay.subscription (
	id text primary key,
	-- Null: the relay's own, such as forwarding to the service.
	token_id text references relay.token (id),
	kind text not null check (kind in ('n8n', 'zapier', 'script', 'admin', 'service', 'callback')),
	-- Makes the subscription unique: the reference, or token, URL, types and filter.
	identity text unique not null,
	reference text,
	label text,
	url text not null,
	-- Encrypted.
	secret text not null,
	types text[] not null,
	filter jsonb not null default '{}',
	batch jsonb,
	state text not null check (state in ('active', 'paused', 'leaving', 'disabled', 'removed')),
	reason text,
	leaving_until timestamptz,
	failing_since timestamptz,
	last_success_at timestamptz,
	last_attempt jsonb,
	-- When a Zapier hook responded 404.
	not_found_at timestamptz[] not null default '{}',
	-- The next time that a Zapier hook may get a request.
	next_slot timestamptz,
	created_at timestamptz not null,
	updated_at timestamptz not null
);

create table relay.delivery (
	subscription_id text not null references relay.subscription (id) on delete cascade,
	event_id text not null references relay.event (id) on delete cascade,
	sequence bigint not null,
	order_key text,
	state text not null default 'pending' check (state in ('pending', 'delivered', 'failed', 'canceled')),
	attempts int not null default 0,
	replays int not null default 0,
	next_at timestamptz,
	-- The last ten: time, duration, status or error.
	tries jsonb not null default '[]',
	created_at timestamptz not null,
	settled_at timestamptz,
	primary key (subscription_id, event_id)
);
create index on relay.delivery (subscription_id, order_key, sequence) where state = 'pending' and order_key is not null;
create index on relay.delivery (subscription_id, created_at) where state = 'pending';
create index on relay.delivery (subscription_id, settled_at) where state = 'failed';
create index on relay.delivery (event_id);

-- Values that all processes share, such as the ingest secret.
create table relay.setting (
	name text primary key,
	value text not null
);
