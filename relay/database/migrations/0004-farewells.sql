-- Whether Zapier still has to learn that the relay ended this subscription.
alter table relay.subscription add column owes_farewell boolean not null default false;
