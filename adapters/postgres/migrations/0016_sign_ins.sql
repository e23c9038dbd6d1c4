-- A browser that somebody signed in with is known by a secret of its own, so that no page has to hold a token.
create table sign_ins (
  secret_hash bytea primary key check (octet_length(secret_hash) = 32),
  -- It is worth what the token is worth: nothing once that one is revoked or over.
  token_id text not null references tokens,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null
);
create index on sign_ins (expires_at);
grant select, insert, delete on sign_ins to parley_serving;

-- Whom an issuer of JWTs calls by a name stands for a person of ours: the role is that of the token, and nothing else of a JWT counts.
create table known_subjects (
  subject_hash bytea primary key check (octet_length(subject_hash) = 32),
  token_id text not null references tokens
);
grant select, insert, update (token_id) on known_subjects to parley_serving;
