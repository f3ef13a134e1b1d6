-- Everything the admin panel keeps: people, the draft, what was published, what was done, and agents' tokens.

CREATE TABLE users (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- The address Cloudflare Access reports, in lower case.
  subject TEXT NOT NULL,
  email TEXT,
  role TEXT NOT NULL DEFAULT 'admin' CHECK (role IN ('admin', 'viewer')),
  disabled INTEGER NOT NULL DEFAULT 0 CHECK (disabled IN (0, 1)),
  created_at INTEGER NOT NULL,
  last_seen INTEGER
);

CREATE UNIQUE INDEX users_by_subject ON users (subject);

-- The draft. Traffic follows what was published, never this.
CREATE TABLE routes (
  id TEXT PRIMARY KEY NOT NULL,
  -- A route as JSON, without its id. It may be half finished.
  definition TEXT NOT NULL,
  enabled INTEGER NOT NULL DEFAULT 1 CHECK (enabled IN (0, 1)),
  position INTEGER NOT NULL,
  -- Counts the writes, so that two people who edit one route hear of each other.
  version INTEGER NOT NULL DEFAULT 1,
  updated_at INTEGER NOT NULL,
  updated_by TEXT NOT NULL
);

CREATE INDEX routes_in_order ON routes (position, id);

-- `defaults`: the draft's defaults block. `revision`: the last number that was claimed. `live`: what was last published.
-- `provision_window`: until when the next person becomes an admin. All JSON.
CREATE TABLE settings (
  key TEXT PRIMARY KEY NOT NULL,
  value TEXT NOT NULL
);

CREATE TABLE revisions (
  revision INTEGER PRIMARY KEY NOT NULL CHECK (revision > 0),
  document TEXT NOT NULL,
  actor TEXT NOT NULL,
  at INTEGER NOT NULL,
  note TEXT,
  rollback_of INTEGER,
  route_count INTEGER NOT NULL
);

CREATE TABLE audit_log (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  target TEXT,
  detail TEXT
);

CREATE INDEX audit_log_by_action ON audit_log (action, id);

CREATE TABLE mcp_tokens (
  id TEXT PRIMARY KEY NOT NULL,
  -- SHA-256 of the token, as hexadecimal digits. The token itself is kept nowhere.
  token_hash TEXT NOT NULL UNIQUE,
  token_prefix TEXT NOT NULL,
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 128),
  owner_user_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  issued_by_user_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  revoked_by_user_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  scopes TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL CHECK (expires_at > created_at),
  revoked_at INTEGER CHECK (revoked_at IS NULL OR revoked_at >= created_at),
  revoke_reason TEXT CHECK (revoke_reason IS NULL OR length(revoke_reason) <= 500),
  last_used_at INTEGER
);

CREATE INDEX mcp_tokens_by_hash ON mcp_tokens (token_hash, revoked_at, expires_at);
CREATE INDEX mcp_tokens_by_owner ON mcp_tokens (owner_user_id, revoked_at, expires_at);
