-- The page, the metrics and the upkeep count pending deliveries. Without it, they read all deliveries.
create index on relay.delivery (subscription_id, sequence) where state = 'pending';
