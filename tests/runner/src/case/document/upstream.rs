//! What an upstream does.

use std::time::Duration;

use serde::{Deserialize, Deserializer, de};

use super::primitive::{Base64, millis};
use crate::case::{Act, Answer, AnswerBody, End, Piece, Then};

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ThenDocument {
    status: Option<u16>,
    #[serde(default)]
    headers: Vec<(String, String)>,
    body: Option<String>,
    body_base64: Option<Base64>,
    repeat_body: Option<RepeatDocument>,
    chunks: Option<Vec<Piece>>,
    #[serde(default, deserialize_with = "millis")]
    delay_ms: Duration,
    fail: Option<FailDocument>,
    #[serde(default)]
    echo: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RepeatDocument {
    text: String,
    times: usize,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum FailDocument {
    Refuse,
    Hang,
    Stall,
    Reset,
}

impl<'de> Deserialize<'de> for Then {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        ThenDocument::deserialize(deserializer)?
            .compile()
            .map_err(de::Error::custom)
    }
}

impl ThenDocument {
    fn compile(self) -> Result<Then, &'static str> {
        let Self {
            status,
            headers,
            body,
            body_base64,
            repeat_body,
            chunks,
            delay_ms: delay,
            fail,
            echo,
        } = self;
        let body = match (body, body_base64, repeat_body, chunks) {
            (None, None, None, None) => AnswerBody::Whole(Vec::new()),
            (Some(text), None, None, None) => AnswerBody::Whole(text.into_bytes()),
            (None, Some(Base64(bytes)), None, None) => AnswerBody::Whole(bytes),
            (None, None, Some(RepeatDocument { text, times }), None) => {
                AnswerBody::Whole(text.repeat(times).into_bytes())
            }
            (None, None, None, Some(pieces)) => AnswerBody::Pieces(pieces),
            _ => {
                return Err(
                    "at most one of `body`, `bodyBase64`, `repeatBody` and `chunks` is expected",
                );
            }
        };
        let end = match fail {
            // These two give no answer, so none is looked at.
            Some(FailDocument::Refuse) => {
                return Ok(Then {
                    delay,
                    act: Act::Refuse,
                });
            }
            Some(FailDocument::Hang) => {
                return Ok(Then {
                    delay,
                    act: Act::Hang,
                });
            }
            _ if echo => {
                return Ok(Then {
                    delay,
                    act: Act::Echo,
                });
            }
            Some(FailDocument::Stall) => End::Stall,
            Some(FailDocument::Reset) => End::Reset,
            None => End::Complete,
        };
        let answer = Answer {
            status: status.unwrap_or(200),
            headers,
            body,
            end,
        };
        Ok(Then {
            delay,
            act: Act::Answer(answer),
        })
    }
}
