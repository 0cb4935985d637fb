#include "hmac_sha256.h"

#include <string.h>

static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

static void take_block(uint32_t state[8], const uint8_t *block)
{
    uint32_t w[64], s[8];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 |
               block[4 * i + 3];
    for (int i = 16; i < 64; i++) {
        uint32_t a = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
        uint32_t b = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + a + w[i - 7] + b;
    }
    memcpy(s, state, sizeof s);
    for (int i = 0; i < 64; i++) {
        uint32_t e = rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25);
        uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
        uint32_t one = s[7] + e + choice + K[i] + w[i];
        uint32_t a = rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22);
        uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += one;
        s[0] = one + a + majority;
    }
    for (int i = 0; i < 8; i++) state[i] += s[i];
}

static sha256 begin(void)
{
    return (sha256){{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19},
                    0, {0}};
}

static void take(sha256 *hash, const void *bytes, size_t len)
{
    const uint8_t *at = bytes;
    while (len > 0) {
        size_t filled = hash->len % 64, part = 64 - filled < len ? 64 - filled : len;
        memcpy(hash->block + filled, at, part);
        hash->len += part;
        at += part;
        len -= part;
        if (hash->len % 64 == 0) take_block(hash->state, hash->block);
    }
}

static void end(sha256 *hash, uint8_t digest[32])
{
    static const uint8_t PADDING[64] = {0x80};
    uint8_t bits[8];
    for (int i = 0; i < 8; i++) bits[i] = (uint8_t)(hash->len * 8 >> (56 - 8 * i));
    take(hash, PADDING, 1 + (119 - hash->len % 64) % 64);
    take(hash, bits, sizeof bits);
    for (int i = 0; i < 32; i++) digest[i] = (uint8_t)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
}

hmac_sha256 hmac_sha256_key(const void *key, size_t len)
{
    uint8_t block[64] = {0}, pad[64];
    hmac_sha256 signer = {begin(), begin()};
    if (len > sizeof block) {
        sha256 hash = begin();
        take(&hash, key, len);
        end(&hash, block);
    } else {
        memcpy(block, key, len);
    }
    for (int i = 0; i < 64; i++) pad[i] = block[i] ^ 0x36;
    take(&signer.inner, pad, sizeof pad);
    for (int i = 0; i < 64; i++) pad[i] = block[i] ^ 0x5c;
    take(&signer.outer, pad, sizeof pad);
    return signer;
}

void hmac_sha256_of(const hmac_sha256 *key, const void *message, size_t len, uint8_t code[HMAC_SHA256_BYTES])
{
    sha256 inner = key->inner, outer = key->outer;
    uint8_t digest[32];
    take(&inner, message, len);
    end(&inner, digest);
    take(&outer, digest, sizeof digest);
    end(&outer, code);
}
