//! Interfaces by name.

/// The number of the interface with this name; `None`: there is none.
pub fn index_of(name: &str) -> Option<u32> {
    let name = std::ffi::CString::new(name).ok()?;
    // SAFETY: if_nametoindex reads the NUL-terminated name.
    let index = unsafe { libc::if_nametoindex(name.as_ptr()) };
    (index > 0).then_some(index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_is_number_one_and_nobody_has_none() {
        assert_eq!(index_of("lo"), Some(1));
        for nobody in ["", "no-such-interface", "lo\0"] {
            assert_eq!(index_of(nobody), None, "{nobody:?}");
        }
    }
}
