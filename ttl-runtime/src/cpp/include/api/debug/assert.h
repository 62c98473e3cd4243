// Assertions. On the chip they cost code and are compiled only with the watcher; here they are always checked.
#pragma once

#define TTL_ASSERT_TEXT_(x) #x
#define ASSERT(condition, ...)                                                                   \
    do {                                                                                         \
        if (!(condition)) {                                                                      \
            ::ttl_host::table->assert_failed("ASSERT(" TTL_ASSERT_TEXT_(condition) ") does not hold", {__FILE__, __LINE__}); \
        }                                                                                        \
    } while (false)
#define LLK_ASSERT(condition, message)                                                           \
    do {                                                                                         \
        if (!(condition)) {                                                                      \
            ::ttl_host::table->assert_failed("LLK_ASSERT(" TTL_ASSERT_TEXT_(condition) ") does not hold: " message, {__FILE__, __LINE__}); \
        }                                                                                        \
    } while (false)
