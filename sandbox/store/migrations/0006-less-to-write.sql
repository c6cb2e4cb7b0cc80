-- The balance is what the last transaction left, so it is kept there alone.
ALTER TABLE wallet DROP COLUMN balance;

-- What lies ahead of a message is what of its plan is not before due_at: moving it on leaves the plan as it is.
ALTER TABLE messages RENAME COLUMN ahead TO plan;
