/* Checks of the tests. */
#ifndef CHECKS_H
#define CHECKS_H

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition) \
  do { \
    if (!(condition)) { \
      printf("%s:%d: failed: %s\n", __FILE__, __LINE__, #condition); \
      exit(1); \
    } \
  } while (0)

#define CHECK_STATUS(call, expected) \
  do { \
    unsigned check_status = (call); \
    if (check_status != (unsigned)(expected)) { \
      printf("%s:%d: %s: status %u instead of %s\n", __FILE__, __LINE__, #call, check_status, #expected); \
      exit(1); \
    } \
  } while (0)

/* Bad pointers, sizes and values. */
void check_errors(void);

#endif
