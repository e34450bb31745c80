-- Keys end with the key that made them, and the audit log says by which key and from where.

-- The key that made this one; null when an operator or a login did. Whoever ends a key ends what it made.
alter table api_keys add column parent_id text;
alter table api_keys add constraint api_keys_parent foreign key (parent_id) references api_keys on delete cascade not valid;
alter table api_keys validate constraint api_keys_parent;
create index api_keys_by_parent on api_keys (parent_id) where parent_id is not null;

-- Rows from before have neither. A row stands for `uses` calls of one key to one workload.
alter table audit_log add column key_id text;
alter table audit_log add column address text;
alter table audit_log add column uses integer not null default 1;
-- Only on months that are made from now on: building it on those that are there would hold up every write meanwhile.
create index audit_log_by_account on only audit_log (account_id, at);
