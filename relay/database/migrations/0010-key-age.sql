-- If the key has a maximum age: the call that claimed it. When the key is too old for another call, key_digest is followed
-- by this digest. So the key is free, and a late attempt of the call still finds its send.
alter table relay.send add column call_digest text;
