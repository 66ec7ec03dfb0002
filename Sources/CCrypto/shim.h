// OpenSSL's libcrypto: functions that Swift can't call (macros, variadic functions), and calls that
// belong together. libcurl brings the library anyway.
#pragma once
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// --- hashes -------------------------------------------------------------------------------------

// The functions on SHA256_CTX allocate nothing and can't fail. OpenSSL 3 deprecates them in favor of
// EVP, which allocates a context and looks the algorithm up for each hash.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static inline void vitrine_crypto_sha256_begin(SHA256_CTX *context) { SHA256_Init(context); }

static inline void vitrine_crypto_sha256_add(SHA256_CTX *context, const void *bytes, size_t count) {
    if (count > 0) SHA256_Update(context, bytes, count);
}

static inline void vitrine_crypto_sha256_end(SHA256_CTX *context, uint8_t *digest) {
    SHA256_Final(digest, context);
}

#pragma GCC diagnostic pop

static inline void vitrine_crypto_hmac(const void *key, size_t keyCount, const void *message,
                                       size_t count, uint8_t *code) {
    // A NULL key would mean the key of the call before.
    HMAC(EVP_sha256(), keyCount > 0 ? key : "", (int)keyCount, (const unsigned char *)message, count,
         code, NULL);
}

static inline bool vitrine_crypto_equal(const uint8_t *one, const uint8_t *other, size_t count) {
    return CRYPTO_memcmp(one, other, count) == 0;
}

// --- certificates -------------------------------------------------------------------------------

static inline int vitrine_crypto_extend(X509 *certificate, X509 *issuer, int nid,
                                        const char *value) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
    int done = extension && X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
    return done;
}

static inline int vitrine_crypto_describe(X509 *certificate, X509 *issuer, EVP_PKEY *key,
                                          const char *name, const char *alternatives, int days) {
    unsigned char serial[16];
    if (RAND_bytes(serial, sizeof serial) != 1) return 0;
    // Positive, and never zero.
    serial[0] = (serial[0] & 0x7F) | 0x40;
    BIGNUM *number = BN_bin2bn(serial, sizeof serial, NULL);
    int done = number && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate));
    BN_free(number);
    // A day of slack for clocks that disagree.
    done = done && X509_set_version(certificate, X509_VERSION_3) &&
           X509_gmtime_adj(X509_getm_notBefore(certificate), -86400) &&
           X509_gmtime_adj(X509_getm_notAfter(certificate), 86400L * days) &&
           X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_UTF8,
                                      (const unsigned char *)name, -1, -1, 0) &&
           X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) &&
           X509_set_pubkey(certificate, key) &&
           vitrine_crypto_extend(certificate, issuer, NID_subject_key_identifier, "hash");
    if (!alternatives)
        return done &&
               vitrine_crypto_extend(certificate, issuer, NID_basic_constraints,
                                     "critical,CA:TRUE,pathlen:0") &&
               vitrine_crypto_extend(certificate, issuer, NID_key_usage,
                                     "critical,keyCertSign,cRLSign");
    return done &&
           vitrine_crypto_extend(certificate, issuer, NID_basic_constraints, "critical,CA:FALSE") &&
           vitrine_crypto_extend(certificate, issuer, NID_key_usage, "critical,digitalSignature") &&
           vitrine_crypto_extend(certificate, issuer, NID_ext_key_usage, "serverAuth") &&
           vitrine_crypto_extend(certificate, issuer, NID_subject_alt_name, alternatives);
}

// A certificate for a fresh P-256 key, signed with `issuerKey`, or by itself where `issuer` is NULL.
// `alternatives` are names as `DNS:example.org,IP:127.0.0.1`; NULL makes an authority. NULL where it
// fails. The caller frees both.
static inline X509 *vitrine_crypto_certificate(const char *name, const char *alternatives, int days,
                                               X509 *issuer, EVP_PKEY *issuerKey,
                                               EVP_PKEY **key) {
    X509 *certificate = X509_new();
    *key = EVP_EC_gen("P-256");
    if (certificate && *key &&
        vitrine_crypto_describe(certificate, issuer ? issuer : certificate, *key, name,
                                alternatives, days) &&
        X509_sign(certificate, issuerKey ? issuerKey : *key, EVP_sha256()))
        return certificate;
    X509_free(certificate);
    EVP_PKEY_free(*key);
    *key = NULL;
    return NULL;
}

// --- PEM: text that the caller frees, NULL where it fails ---------------------------------------

static inline char *vitrine_crypto_text(BIO *memory, int written) {
    char *bytes = NULL;
    long count = written ? BIO_get_mem_data(memory, &bytes) : 0;
    char *text = count > 0 ? strndup(bytes, (size_t)count) : NULL;
    BIO_free(memory);
    return text;
}

static inline char *vitrine_crypto_certificate_pem(X509 *certificate) {
    BIO *memory = BIO_new(BIO_s_mem());
    return memory ? vitrine_crypto_text(memory, PEM_write_bio_X509(memory, certificate)) : NULL;
}

static inline char *vitrine_crypto_key_pem(EVP_PKEY *key) {
    BIO *memory = BIO_new(BIO_s_mem());
    return memory ? vitrine_crypto_text(memory, PEM_write_bio_PKCS8PrivateKey(memory, key, NULL,
                                                                              NULL, 0, NULL, NULL))
                  : NULL;
}

// Why the last call of this thread failed, as OpenSSL numbers it.
static inline unsigned long vitrine_crypto_error(void) { return ERR_get_error(); }

static inline void vitrine_crypto_error_text(unsigned long error, char *text, size_t room) {
    ERR_error_string_n(error, text, room);
}
