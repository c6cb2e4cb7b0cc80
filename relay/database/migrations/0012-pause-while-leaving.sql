-- Whether a person had paused the subscription before n8n deleted it. If n8n registers it again, it is still paused.
alter table relay.subscription add column was_paused boolean not null default false;
