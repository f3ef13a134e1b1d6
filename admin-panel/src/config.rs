//! What a deployment sets: read once for each request, because a value is text and reading it is cheap.

use jouska::guards::access::jwt::{Application, InvalidTeam};
use url::Url;

use crate::{identity::ProvisionPolicy, outside::Surroundings};

/// What a deployment sets.
#[derive(Debug, Clone, Default)]
pub(crate) struct Config {
    /// Who signs the tokens; `None` where Access is off, which refuses everybody.
    pub(crate) access: Option<Access>,
    /// What becomes of people whom Access lets in and the panel does not know.
    pub(crate) provision: ProvisionPolicy,
    /// An origin besides the request's own.
    pub(crate) panel_url: Option<Url>,
    /// The Worker whose host names are looked up.
    pub(crate) script: String,
    /// The account it is in.
    pub(crate) account: Option<String>,
    /// What proves to Cloudflare's API that it may be asked.
    pub(crate) api_token: Option<String>,
    /// What proves to the proxy that it may be asked for its status.
    pub(crate) status_secret: Option<String>,
    /// The name of the build.
    pub(crate) build: String,
}

/// Cloudflare Access as it is set.
#[derive(Debug, Clone)]
pub(crate) struct Access {
    team: String,
    audience: String,
}

impl Access {
    /// The application that tokens have to be made for.
    ///
    /// # Errors
    /// If no team can have such a name, so that there is nobody to ask for keys.
    pub(crate) fn application(&self) -> Result<Application, InvalidTeam> {
        Ok(Application {
            team: self.team.parse()?,
            audience: self.audience.clone(),
        })
    }
}

impl Config {
    /// Reads the variables, and complains about those that mean nothing.
    pub(crate) fn read(outside: &dyn Surroundings) -> Self {
        let text = |name| {
            outside
                .variable(name)
                .map(|text| text.trim().to_owned())
                .filter(|text| !text.is_empty())
        };
        let access = text("ACCESS_TEAM")
            .zip(text("ACCESS_AUD"))
            .map(|(team, audience)| Access { team, audience });
        let panel_url = text("PANEL_URL").and_then(|given| {
            let url = Url::parse(&given).ok().filter(Url::has_host);
            if url.is_none() {
                outside.complain(&format!(
                    "PANEL_URL is left out of account: expected an address such as https://panel.example.com, found {given:?}"
                ));
            }
            url
        });
        Self {
            access,
            provision: ProvisionPolicy::read(text("ACCESS_PROVISION_ROLE")),
            panel_url,
            script: text("PROXY_SCRIPT_NAME").unwrap_or_else(|| "jouska".to_owned()),
            account: text("CF_ACCOUNT_ID"),
            api_token: text("CF_API_TOKEN"),
            status_secret: text("STATUS_SECRET"),
            build: text("BUILD_ID").unwrap_or_else(|| "dev".to_owned()),
        }
    }
}
