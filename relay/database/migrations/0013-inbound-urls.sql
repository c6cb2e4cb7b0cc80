-- Whether an unrecognized request came to a URL for inbound messages. A STOP may be among these.
alter table relay.event add column at_inbound_url boolean not null default false;
