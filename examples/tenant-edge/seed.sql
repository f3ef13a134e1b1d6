-- Three shops on this machine, one of them claimed by somebody who does not own it.
INSERT INTO domains (host, tenant_id, verified) VALUES ('acme.localhost', 't_acme', TRUE);
INSERT INTO domains (host, tenant_id, verified) VALUES ('bakery.localhost', 't_bakery', TRUE);
INSERT INTO domains (host, tenant_id, verified) VALUES ('squat.localhost', 't_squat', FALSE);
