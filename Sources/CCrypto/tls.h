// OpenSSL's libssl: functions that Swift can't call (macros, variadic functions), and calls that belong
// together.
#pragma once
#include <errno.h>
#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

// --- the socket ---------------------------------------------------------------------------------

// Encrypted records that are not sent: `count` bytes from `start`, of `size`.
typedef struct {
	size_t start, count, size;
	uint8_t bytes[];
} vitrine_tls_records;

// NULL without memory. The caller frees it.
static inline vitrine_tls_records *vitrine_tls_make_records(size_t size) {
	vitrine_tls_records *records = malloc(sizeof *records + size);
	if (records) records->start = records->count = 0, records->size = size;
	return records;
}

static inline void vitrine_tls_free_records(vitrine_tls_records *records) { free(records); }

// The socket of a TLS connection. OpenSSL's own would raise SIGPIPE.
typedef struct {
	int file;
	// The errno of the last call that failed for another reason than a full or empty socket; else 0.
	int error;
	// Whether the socket had nothing to read since this was cleared.
	bool isDrained;
	// Whether the client has closed its end.
	bool isEnd;
	// Whether more bytes follow at once.
	bool more;
	// Whether a record waits in `gathered` for one that follows in the same call.
	bool gathers;
	// Where records wait that are sent together. Belongs to the thread, so it is empty between two calls.
	vitrine_tls_records *gathered;
	// Those that the socket did not take; NULL if there are none. They go before all others.
	vitrine_tls_records *kept;
	// Bytes of records that were received, and that may be received, in all.
	uint64_t received, limit;
} vitrine_tls_socket;

// As in CLinux: glibc's functions are cancellation points, and no thread is canceled here.
extern long syscall(long number, ...);

static inline int vitrine_tls_bio_end(BIO *bio, vitrine_tls_socket *socket, long count, int retry) {
	if (count > 0) return (int)count;
	if (count == 0) return 0;
	if (errno == EAGAIN || errno == EINTR) {
		socket->isDrained = errno == EAGAIN;
		BIO_set_flags(bio, retry | BIO_FLAGS_SHOULD_RETRY);
	} else {
		socket->error = errno;
	}
	return -1;
}

static inline int vitrine_tls_bio_read(BIO *bio, char *bytes, int count) {
	vitrine_tls_socket *socket = BIO_get_data(bio);
	BIO_clear_retry_flags(bio);
	if (socket->received >= socket->limit) {
		socket->error = EMSGSIZE;
		return -1;
	}
	const long taken = syscall(SYS_recvfrom, socket->file, bytes, (size_t)count, MSG_DONTWAIT, NULL, NULL);
	if (taken > 0) socket->received += (uint64_t)taken;
	socket->isEnd = taken == 0;
	return vitrine_tls_bio_end(bio, socket, taken, BIO_FLAGS_READ);
}

// Sends what waits, and then a record. Returns the bytes of the record that were sent; -1 and errno for none of them.
static inline long vitrine_tls_send(vitrine_tls_socket *socket, vitrine_tls_records *waiting, const char *bytes,
                                    size_t count, int flags) {
	const struct iovec parts[] = {{waiting->bytes + waiting->start, waiting->count}, {(void *)bytes, count}};
	const struct msghdr message = {.msg_iov = (struct iovec *)parts, .msg_iovlen = 2};
	long taken = syscall(SYS_sendmsg, socket->file, &message, flags);
	const bool isFull = taken >= 0 || errno == EAGAIN || errno == EINTR;
	const size_t sent = taken > 0 ? (size_t)taken : 0;
	if (sent >= waiting->count || !isFull) {
		if (isFull) taken -= (long)waiting->count;
		waiting->start = waiting->count = 0;
		if (waiting == socket->kept) {
			const int error = errno;
			free(waiting);
			errno = error;
			socket->kept = NULL;
		}
		if (taken == 0) errno = EAGAIN;
		return taken > 0 ? taken : -1;
	}
	waiting->start += sent;
	waiting->count -= sent;
	if (waiting == socket->gathered) {
		// The thread needs its own for other connections.
		socket->kept = vitrine_tls_make_records(waiting->count);
		if (socket->kept) {
			memcpy(socket->kept->bytes, waiting->bytes + waiting->start, waiting->count);
			socket->kept->count = waiting->count;
		}
		waiting->start = waiting->count = 0;
	}
	errno = socket->kept ? EAGAIN : ENOMEM;
	return -1;
}

static inline int vitrine_tls_bio_write(BIO *bio, const char *bytes, int count) {
	vitrine_tls_socket *socket = BIO_get_data(bio);
	vitrine_tls_records *gathered = socket->gathered;
	BIO_clear_retry_flags(bio);
	if (socket->gathers && !socket->kept && (size_t)count <= gathered->size - gathered->count) {
		memcpy(gathered->bytes + gathered->count, bytes, (size_t)count);
		gathered->count += (size_t)count;
		return count;
	}
	const int flags = MSG_NOSIGNAL | MSG_DONTWAIT | (socket->more ? MSG_MORE : 0);
	vitrine_tls_records *waiting = socket->kept ? socket->kept : gathered;
	const long taken = waiting && waiting->count > 0
	                       ? vitrine_tls_send(socket, waiting, bytes, (size_t)count, flags)
	                       : syscall(SYS_sendto, socket->file, bytes, (size_t)count, flags, NULL, 0);
	return vitrine_tls_bio_end(bio, socket, taken, BIO_FLAGS_WRITE);
}

static inline long vitrine_tls_bio_control(BIO *bio, int command, long number, void *pointer) {
	(void)number, (void)pointer;
	if (command == BIO_CTRL_EOF) return ((vitrine_tls_socket *)BIO_get_data(bio))->isEnd;
	return command == BIO_CTRL_FLUSH;
}

static inline int vitrine_tls_bio_destroy(BIO *bio) {
	vitrine_tls_socket *socket = BIO_get_data(bio);
	if (socket) free(socket->kept);
	free(socket);
	return 1;
}

// How records are sent and received. One for the process, never freed. NULL without memory.
static inline BIO_METHOD *vitrine_tls_method(void) {
	BIO_METHOD *method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket");
	if (!method) return NULL;
	BIO_meth_set_read(method, vitrine_tls_bio_read);
	BIO_meth_set_write(method, vitrine_tls_bio_write);
	BIO_meth_set_ctrl(method, vitrine_tls_bio_control);
	BIO_meth_set_destroy(method, vitrine_tls_bio_destroy);
	return method;
}

// A connection on a socket, which stays the caller's. NULL without memory. `limit` is the number of
// bytes that may be received until it is raised. `gathered` is the thread's, and lives longer; NULL without one.
static inline SSL *vitrine_tls_open(SSL_CTX *context, BIO_METHOD *method, int file, uint64_t limit,
                                    vitrine_tls_records *gathered, vitrine_tls_socket **place) {
	vitrine_tls_socket *socket = calloc(1, sizeof *socket);
	BIO *bio = socket ? BIO_new(method) : NULL;
	SSL *ssl = bio ? SSL_new(context) : NULL;
	if (!ssl) {
		BIO_free(bio);
		free(socket);
		return NULL;
	}
	socket->file = file;
	socket->limit = limit;
	socket->gathered = gathered;
	BIO_set_data(bio, socket);
	BIO_set_init(bio, 1);
	SSL_set_bio(ssl, bio, bio);
	*place = socket;
	return ssl;
}

// --- contexts -----------------------------------------------------------------------------------

static inline int vitrine_tls_choose(SSL *ssl, const unsigned char **chosen, unsigned char *length,
                                     const unsigned char *offered, unsigned int count, void *known) {
	(void)ssl;
	unsigned char *found;
	if (SSL_select_next_proto(&found, length, known, (unsigned int)strlen(known), offered, count) !=
	    OPENSSL_NPN_NEGOTIATED)
		return SSL_TLSEXT_ERR_ALERT_FATAL;
	*chosen = found;
	return SSL_TLSEXT_ERR_OK;
}

// A server's settings without a certificate. NULL without memory. With `http2` it prefers HTTP/2.
//
// TLS 1.2 only with the suites that HTTP/2 allows (RFC 9113, section 9.2.2): ephemeral keys, AEAD.
static inline SSL_CTX *vitrine_tls_context(long ticketLifetime, bool http2) {
	SSL_CTX *context = SSL_CTX_new(TLS_server_method());
	if (!context) return NULL;
	// The end of the socket is that of the stream: HTTP knows where its messages end.
	SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
	                                 SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA |
	                                 SSL_OP_IGNORE_UNEXPECTED_EOF);
	SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
	                              SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
	// A call returns after each record, so that records without data can be counted.
	SSL_CTX_clear_mode(context, SSL_MODE_AUTO_RETRY);
	SSL_CTX_set_read_ahead(context, 1);
	SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
	SSL_CTX_set_timeout(context, ticketLifetime);
	static char known[] = "\x02h2\x08http/1.1";
	SSL_CTX_set_alpn_select_cb(context, vitrine_tls_choose, http2 ? known : known + 3);
	if (SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) != 1 ||
	    SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20") != 1) {
		SSL_CTX_free(context);
		return NULL;
	}
	return context;
}

static inline int vitrine_tls_no_password(char *text, int size, int writes, void *unused) {
	(void)text, (void)size, (void)writes, (void)unused;
	return 0;
}

// Gives a context a certificate with its chain, and returns how many certificates there were; -1 if
// they can't be read.
static inline int vitrine_tls_use_certificates(SSL_CTX *context, const void *pem, size_t size) {
	BIO *text = BIO_new_mem_buf(pem, (int)size);
	int count = 0;
	bool isGood = text != NULL;
	while (isGood) {
		X509 *certificate = PEM_read_bio_X509(text, NULL, vitrine_tls_no_password, NULL);
		if (!certificate) break;
		isGood = (count++ == 0 ? SSL_CTX_use_certificate(context, certificate)
		                       : SSL_CTX_add1_chain_cert(context, certificate)) == 1;
		X509_free(certificate);
	}
	// The text has to end without another certificate.
	isGood = isGood && ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
	BIO_free(text);
	return isGood ? count : -1;
}

// Why a key can't be used.
typedef enum {
	vitrine_tls_key_good,
	vitrine_tls_key_unreadable,
	vitrine_tls_key_other
} vitrine_tls_key_state;

// Gives a context the key of its certificate.
static inline vitrine_tls_key_state vitrine_tls_use_key(SSL_CTX *context, const void *pem, size_t size) {
	BIO *text = BIO_new_mem_buf(pem, (int)size);
	EVP_PKEY *key = text ? PEM_read_bio_PrivateKey(text, NULL, vitrine_tls_no_password, NULL) : NULL;
	BIO_free(text);
	if (!key) return vitrine_tls_key_unreadable;
	const bool isGood = SSL_CTX_use_PrivateKey(context, key) == 1 && SSL_CTX_check_private_key(context) == 1;
	EVP_PKEY_free(key);
	return isGood ? vitrine_tls_key_good : vitrine_tls_key_other;
}

// --- tickets ------------------------------------------------------------------------------------

// What encrypts the tickets of sessions (RFC 5077, section 4).
typedef struct {
	uint8_t name[16], cipher[32], mac[32];
} vitrine_tls_ticket_key;

// Called with the parameters of an SSL_CTX_set_tlsext_ticket_key_evp_cb.
typedef int (*vitrine_tls_ticket_callback)(SSL *, unsigned char *, unsigned char *, EVP_CIPHER_CTX *,
                                           EVP_MAC_CTX *, int);

static inline void vitrine_tls_set_tickets(SSL_CTX *context, vitrine_tls_ticket_callback callback,
                                           void *keys) {
	SSL_CTX_set_app_data(context, keys);
	SSL_CTX_set_tlsext_ticket_key_evp_cb(context, callback);
}

static inline void *vitrine_tls_ticket_keys(SSL *ssl) { return SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)); }

static inline bool vitrine_tls_make_ticket_key(vitrine_tls_ticket_key *key) {
	return RAND_priv_bytes((unsigned char *)key, sizeof *key) == 1;
}

static inline void vitrine_tls_erase(void *bytes, size_t count) { OPENSSL_cleanse(bytes, count); }

static inline bool vitrine_tls_is_named(const vitrine_tls_ticket_key *key, const unsigned char *name) {
	return memcmp(key->name, name, sizeof key->name) == 0;
}

static inline bool vitrine_tls_use_mac(const vitrine_tls_ticket_key *key, EVP_MAC_CTX *mac) {
	OSSL_PARAM parameters[] = {
	    OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, (void *)key->mac, sizeof key->mac),
	    OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, "SHA256", 0), OSSL_PARAM_construct_end()};
	return EVP_MAC_CTX_set_params(mac, parameters) == 1;
}

// Prepares the encryption of a ticket.
static inline bool vitrine_tls_seal(const vitrine_tls_ticket_key *key, unsigned char *name,
                                    unsigned char *iv, EVP_CIPHER_CTX *cipher, EVP_MAC_CTX *mac) {
	memcpy(name, key->name, sizeof key->name);
	return RAND_bytes(iv, EVP_MAX_IV_LENGTH) == 1 &&
	       EVP_EncryptInit_ex2(cipher, EVP_aes_256_cbc(), key->cipher, iv, NULL) == 1 &&
	       vitrine_tls_use_mac(key, mac);
}

// Prepares the decryption of a ticket.
static inline bool vitrine_tls_unseal(const vitrine_tls_ticket_key *key, unsigned char *iv,
                                      EVP_CIPHER_CTX *cipher, EVP_MAC_CTX *mac) {
	return EVP_DecryptInit_ex2(cipher, EVP_aes_256_cbc(), key->cipher, iv, NULL) == 1 &&
	       vitrine_tls_use_mac(key, mac);
}

// The name that a client asked for if the server's certificate is not for it; else NULL. Valid as long as
// the connection.
static inline const char *vitrine_tls_other_name(const SSL *ssl) {
	const char *name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
	X509 *certificate = SSL_get_certificate(ssl);
	return name && certificate && X509_check_host(certificate, name, 0, 0, NULL) == 0 ? name : NULL;
}

// --- errors -------------------------------------------------------------------------------------

// The last error of this thread, 0 if there is none. Empties the queue.
static inline unsigned long vitrine_tls_take_error(void) {
	const unsigned long error = ERR_peek_last_error();
	ERR_clear_error();
	return error;
}

static inline int vitrine_tls_library(unsigned long error) { return ERR_GET_LIB(error); }

static inline int vitrine_tls_reason(unsigned long error) { return ERR_GET_REASON(error); }

// --- clients, for tests -------------------------------------------------------------------------

// A client's settings that trust a file's certificates. NULL if they can't be read.
static inline SSL_CTX *vitrine_tls_client(const char *authority) {
	SSL_CTX *context = SSL_CTX_new(TLS_client_method());
	if (!context) return NULL;
	SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
	if (SSL_CTX_load_verify_file(context, authority) == 1) {
		SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
		return context;
	}
	SSL_CTX_free(context);
	return NULL;
}

static inline bool vitrine_tls_set_versions(SSL *ssl, int version) {
	return SSL_set_min_proto_version(ssl, version) == 1 && SSL_set_max_proto_version(ssl, version) == 1;
}

static inline bool vitrine_tls_ask_for(SSL *ssl, const char *host) {
	return SSL_set_tlsext_host_name(ssl, host) == 1 && SSL_set1_host(ssl, host) == 1;
}
