/* HMAC-SHA256 (FIPS 180-4, RFC 2104). */
#ifndef HMAC_SHA256_H
#define HMAC_SHA256_H

#include <stddef.h>
#include <stdint.h>

typedef struct sha256 {
    uint32_t state[8];
    uint64_t len;
    uint8_t block[64];
} sha256;

/* A key, its part of the code done once. */
typedef struct hmac_sha256 {
    sha256 inner, outer;
} hmac_sha256;

enum { HMAC_SHA256_BYTES = 32 };

/* A key of any length. */
hmac_sha256 hmac_sha256_key(const void *key, size_t len);

/* The code of a message. The key can be used again. */
void hmac_sha256_of(const hmac_sha256 *key, const void *message, size_t len, uint8_t code[HMAC_SHA256_BYTES]);

#endif
