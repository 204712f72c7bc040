//! What the API server says when it does not want a pod.

use nettest_api::Reason;

/// A pod that was not admitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreateRefusal {
    /// PodSecurityDenied, QuotaExceeded or AdmissionDenied.
    pub reason: Reason,
    /// The server's own message.
    pub message: String,
}

impl CreateRefusal {
    /// From the HTTP status and message of a failed create. `None`: not a refusal but a fault to try again
    /// (429, 5xx), or a conflict (409), which says that the pod exists.
    pub fn classify(code: u16, message: &str) -> Option<CreateRefusal> {
        // 403: admission plugins, quota, authorization. 400 and 422: webhooks choose them, and validation.
        if !matches!(code, 400 | 403 | 422) {
            return None;
        }
        let reason = if message.contains("violates PodSecurity") {
            Reason::PodSecurityDenied
        } else if message.contains("exceeded quota") || message.contains("failed quota") {
            Reason::QuotaExceeded
        } else {
            Reason::AdmissionDenied
        };
        Some(CreateRefusal {
            reason,
            message: message.to_owned(),
        })
    }

    /// Whether trying again can help before somebody changes the namespace's rules.
    pub fn is_final(&self) -> bool {
        self.reason == Reason::PodSecurityDenied
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_the_servers_own_words() {
        for (code, message, reason) in [
            (
                403,
                r#"pods "x" is forbidden: violates PodSecurity "restricted:latest": host namespaces (hostNetwork=true)"#,
                Some(Reason::PodSecurityDenied),
            ),
            (
                403,
                r#"pods "x" is forbidden: exceeded quota: pods, requested: pods=1, used: pods=1, limited: pods=1"#,
                Some(Reason::QuotaExceeded),
            ),
            (
                403,
                r#"pods "x" is forbidden: failed quota: q: must specify limits.cpu for: engine"#,
                Some(Reason::QuotaExceeded),
            ),
            (
                403,
                r#"pods "x" is forbidden: maximum memory usage per Container is 64Mi, but limit is 256Mi"#,
                Some(Reason::AdmissionDenied),
            ),
            (
                400,
                r#"admission webhook "policy.example" denied the request: no"#,
                Some(Reason::AdmissionDenied),
            ),
            (409, r#"pods "x" already exists"#, None),
            (429, "too many requests", None),
            (500, "exceeded quota", None),
        ] {
            let seen = CreateRefusal::classify(code, message);
            assert_eq!(
                seen.as_ref().map(|refusal| refusal.reason),
                reason,
                "{message}"
            );
            assert!(seen.is_none_or(|refusal| refusal.message == message));
        }
    }
}
