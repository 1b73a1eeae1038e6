//! Defaults of Secrets.

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;

/// `stringData` is write-only: its entries move into `data` and replace those of the same key.
pub fn secret(secret: &mut Secret) {
    secret.type_.get_or_insert_with(|| "Opaque".to_owned());
    let Some(texts) = secret.string_data.take() else {
        return;
    };
    let data = secret.data.get_or_insert_default();
    for (key, text) in texts {
        data.insert(key, ByteString(text.into_bytes()));
    }
}
