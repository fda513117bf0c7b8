/* Start of a program on a bare Cortex-M core that talks to a debugger: for QEMU with semihosting. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern uint32_t stack_top[], data_start[], data_end[], data_load[], bss_start[], bss_end[];
extern int main(void);
extern void initialise_monitor_handles(void);

void reset(void);
void reset(void) {
#ifdef __ARM_FP
  /* Floating point: full access to coprocessors 10 and 11. */
  *(volatile uint32_t *)0xE000ED88 |= 0xFu << 20;
  __asm volatile("dsb\n isb");
#endif
  memcpy(data_start, data_load, (size_t)((char *)data_end - (char *)data_start));
  memset(bss_start, 0, (size_t)((char *)bss_end - (char *)bss_start));
  initialise_monitor_handles();
  exit(main());
}

/* Of newlib and libstdc++, for constructors; there are none. */
extern void *__dso_handle;
void *__dso_handle;
void _init(void);
void _init(void) {}
void _fini(void);
void _fini(void) {}

static void fault(void) { abort(); }

__attribute__((section(".vectors"), used)) static void (*const vectors[16])(void) = {
    (void (*)(void))(uintptr_t)stack_top, reset, fault, fault, fault, fault, fault};
