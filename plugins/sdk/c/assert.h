/* Takes the place of the C library's: what does not hold is logged and traps, as `engine_panic`; nothing is written to a
 * file, which a plugin does not have. Whether NDEBUG is set makes no difference: some compilers set it by themselves. */
#undef assert
#define assert(condition) \
    ((condition) ? (void)0 : engine_panic_at(__FILE__, __LINE__, __func__, "assertion failed: " #condition))

#ifndef ENGINE_ASSERT_H
#define ENGINE_ASSERT_H

_Noreturn void engine_panic_at(const char *file, int line, const char *function, const char *text);

#ifndef static_assert
#define static_assert _Static_assert
#endif

#endif
