# jouska on plain workerd: `workerd serve config.capnp`. README.md has what to change here, and why.
# This file is yours: a later `cargo xtask bundle` leaves it as it is.

using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "proxy", worker = .proxy),
    (name = "internet", network = .network),
  ],
  sockets = [
    # Loopback only: who may be asked about a visitor's address is decided in front of this.
    (name = "http", address = "127.0.0.1:8080", http = (), service = "proxy"),
  ],
);

const network :Workerd.Network = (
  # Add "private" for upstreams in networks of your own. Their routes need "allowPrivateUpstream": true as well.
  allow = ["public"],
  tlsOptions = (trustBrowserCas = true),
);

const proxy :Workerd.Worker = (
  modules = [
    (name = "index.js", esModule = embed "index.js"),
    (name = "index_bg.wasm", wasm = embed "index_bg.wasm"),
  ],
  compatibilityDate = {compatibility_date},
  compatibilityFlags = {compatibility_flags},
  bindings = [
    (name = "JOUSKA_CONFIG", text = embed "table.json"),
    # One line on standard output for every proxied request; anything else than "true" is silence.
    (name = "ACCESS_LOGS", text = "true"),
  ],
);
