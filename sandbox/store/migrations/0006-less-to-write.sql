-- The last transaction has the balance, so it is stored only there.
ALTER TABLE wallet DROP COLUMN balance;

-- The plan keeps all status changes. Those from due_at on are still ahead, so a status change does not rewrite the plan.
ALTER TABLE messages RENAME COLUMN ahead TO plan;
