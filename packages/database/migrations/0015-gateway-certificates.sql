-- A gateway has no master key, so it asks here for the certificate that runners know it by, and an api answers. The private key
-- stays with the gateway: who only reads the database can show nothing to a runner. Rows live for seconds.
create table gateway_certificates (
  id uuid primary key,
  public_key text not null check (length(public_key) <= 1000),
  certificate text,
  asked_at timestamptz(3) not null default clock_timestamp()
);

-- runners.ingress_secret is for runners of the release before. It is null once a runner is upgraded, and goes with the next release.
