//! Workers KV, the console and Analytics Engine, as the tenant edge asks for them.

use std::time::Duration;

use jouska::tenant::{Dataset, KeyValue, Log, Point};
use worker::{
    AnalyticsEngineDataPointBuilder, AnalyticsEngineDataset, Env, KvStore, console_error,
    console_log,
};

/// The namespace `TENANTS`.
#[derive(Clone)]
pub(crate) struct Tenants(KvStore);

impl Tenants {
    /// The namespace, where it is bound.
    pub(crate) fn of(env: &Env) -> Option<Self> {
        env.kv("TENANTS").ok().map(Self)
    }
}

impl KeyValue for Tenants {
    async fn read(&self, key: &str) -> Result<Option<String>, String> {
        let read = self.0.get(key).text().await;
        read.map_err(|error| error.to_string())
    }

    async fn write(&self, key: &str, value: &str, ttl: Duration) -> Result<(), String> {
        let put = self.0.put(key, value).map_err(|error| error.to_string())?;
        let written = put.expiration_ttl(ttl.as_secs()).execute().await;
        written.map_err(|error| error.to_string())
    }
}

/// The Worker's log.
pub(crate) struct Console;

impl Log for Console {
    fn access(&self, line: &str) {
        console_log!("{line}");
    }

    fn trouble(&self, what: &str) {
        console_error!("{what}");
    }
}

/// The dataset `ANALYTICS`.
pub(crate) struct Analytics(AnalyticsEngineDataset);

impl Analytics {
    /// The dataset, where it is bound.
    pub(crate) fn of(env: &Env) -> Option<Self> {
        env.analytics_engine("ANALYTICS").ok().map(Self)
    }
}

impl Dataset for Analytics {
    fn write(&self, point: &Point) -> Result<(), String> {
        let [blob] = &point.blobs;
        let built = AnalyticsEngineDataPointBuilder::new()
            .indexes([point.index.as_str()])
            .add_blob(blob.as_str())
            .doubles(point.doubles)
            .build();
        let written = self.0.write_data_point(&built);
        written.map_err(|error| error.to_string())
    }
}
