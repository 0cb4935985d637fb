/* SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014), written out because its
 * sequence must never change. Not for secrets. */
#include "engine_plugin.h"

engine_rng engine_rng_of(const engine_ctx *ctx)
{
    return (engine_rng){ctx->arrival.seed};
}

uint64_t engine_random(engine_rng *rng)
{
    uint64_t z = rng->state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* The upper half of the product of two 64-bit numbers (Lemire, 2019, without the rejection step: the bias is below
 * `bound` / 2^64), by hand for compilers without 128-bit numbers. */
uint64_t engine_random_below(engine_rng *rng, uint64_t bound)
{
    uint64_t a = engine_random(rng), b = bound;
    uint64_t low = (a & 0xffffffff) * (b & 0xffffffff);
    uint64_t middle = (a >> 32) * (b & 0xffffffff) + (low >> 32);
    uint64_t other = (a & 0xffffffff) * (b >> 32) + (middle & 0xffffffff);
    return (a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32);
}

double engine_random_unit(engine_rng *rng)
{
    return (double)(engine_random(rng) >> 11) / (double)(1ull << 53);
}

bool engine_random_chance(engine_rng *rng, double probability)
{
    return engine_random_unit(rng) < probability;
}
