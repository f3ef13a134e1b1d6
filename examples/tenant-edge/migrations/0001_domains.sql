-- Who owns which domain. A claim serves pages only once it is verified; until then its owner may still come and make it.
CREATE TABLE domains (
  host TEXT PRIMARY KEY,
  tenant_id TEXT NOT NULL,
  verified BOOLEAN NOT NULL DEFAULT FALSE
);
