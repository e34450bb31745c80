-- How gateways reach runners, and what they share among themselves.

alter table runners add column ingress_address text;
-- Of its present stream: whoever has it may open connections to its instances. Made anew with every stream.
alter table runners add column ingress_secret text;

-- Secrets that gateways sign with and nobody else needs, such as cookies that keep a client on a revision.
create table gateway_keys (
  purpose text primary key,
  secret bytea not null,
  created_at timestamptz(3) not null default now()
);
