-- Whose work a message is, so that the relay can give every workspace its turn. The nil UUID stands for "no workspace": the pools
-- of runners, and what processes of the version before write.
alter table outbox add column workspace_id uuid not null default '00000000-0000-0000-0000-000000000000';
-- The only index: with a second one by time the planner would look for the few rows of one workspace among those of all.
alter table outbox drop constraint outbox_pkey;
alter table outbox add primary key (workspace_id, created_at, id);
