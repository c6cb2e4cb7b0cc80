-- Whether the recipient was erased on request.
alter table relay.send add column erased boolean not null default false;
