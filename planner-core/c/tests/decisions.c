/* Robots in the worlds of worlds.h, two at a time, and every decision of theirs as a line on standard output:
 *
 *   WORLD ACTION X Y PHASE
 *
 * `cargo xtask c-lib --check` runs this program on the host and on emulated Cortex-M cores and compares its output with
 * the decisions of the Rust planner in the same worlds. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tinystar.h"
#include "checks.h"

/* How a robot moves and what is in its cells. */
enum kind { MAZE, FOUR, EIGHT, WEIGHTED };

struct world {
  enum kind kind;
  uint16_t width;
  uint16_t height;
  tinystar_cell start;
  tinystar_cell goals[4];
  size_t goal_count;
  uint32_t budget;
  /* Ticks from one cell that changes to the next; 0 if none does. */
  uint32_t change_every;
  /* In a maze: walls, bit 0 south, 1 west, 2 north, 3 east. On a grid: the weight, 0 if blocked. */
  const uint8_t *cells;
};

#include "worlds.h"

enum { WORLDS = sizeof worlds / sizeof worlds[0], MAX_TICKS = 6000, GUARD = 64 };

/* A navigator in memory of exactly the size that it needs, with guards around it. */
struct run {
  const struct world *world;
  unsigned number;
  unsigned char *block;
  size_t size;
  uint8_t *changed;
  tinystar_maze *maze;
  tinystar_grid *grid;
  tinystar_cell at;
  uint32_t ticks;
  unsigned leg;
  bool done;
};

static bool same(tinystar_cell a, tinystar_cell b) { return a.x == b.x && a.y == b.y; }

/* Bytes of stack of an initialisation and of a tick: on a bare core, where nothing else uses the stack, the words below
 * the current frame are painted before a call and searched after it. */
static size_t stack_used[2];

#ifdef MEASURE_STACK
enum { STACK_WORDS = 4096, OWN_WORDS = 32, PAINT = 0xA5A5A5 };

__attribute__((noinline)) static void paint_stack(void) {
  volatile uint32_t *frame = __builtin_frame_address(0);
  for (int i = OWN_WORDS; i < STACK_WORDS; i++) {
    frame[-i] = PAINT;
  }
}

__attribute__((noinline)) static void read_stack(size_t *most) {
  volatile uint32_t *frame = __builtin_frame_address(0);
  int used = STACK_WORDS - OWN_WORDS;
  while (used > OWN_WORDS && frame[-used] == PAINT) {
    used--;
  }
  if ((size_t)used * 4 > *most) {
    *most = (size_t)used * 4;
  }
}
#else
static void paint_stack(void) {}
static void read_stack(size_t *most) { (void)most; }
#endif

static void begin(struct run *run, unsigned number) {
  const struct world *world = &worlds[number];
  memset(run, 0, sizeof *run);
  run->world = world;
  run->number = number;
  run->at = world->start;
  switch (world->kind) {
    case MAZE: run->size = tinystar_maze_size(world->width, world->height); break;
    case WEIGHTED: run->size = tinystar_grid_weighted_size(world->width, world->height); break;
    default: run->size = tinystar_grid_size(world->width, world->height); break;
  }
  run->block = malloc(run->size + 2 * GUARD);
  run->changed = calloc((size_t)world->width * world->height, 1);
  CHECK(run->block != NULL && run->changed != NULL);
  memset(run->block, 0x5A, run->size + 2 * GUARD);
  void *memory = run->block + GUARD;
  const tinystar_cell start = world->start, *goals = world->goals;
  const size_t count = world->goal_count;
  const uint16_t width = world->width, height = world->height;
  tinystar_status status = TINYSTAR_STATUS_OK;
  paint_stack();
  switch (world->kind) {
    case MAZE:
      status = tinystar_maze_init(memory, run->size, width, height, start, goals, count, &run->maze);
      break;
    case FOUR:
      status = tinystar_grid_init(memory, run->size, width, height, start, goals, count, &run->grid);
      break;
    case EIGHT:
      status =
          tinystar_grid_init_eight(memory, run->size, width, height, start, goals, count, &run->grid);
      break;
    case WEIGHTED:
      status = tinystar_grid_init_weighted(memory, run->size, width, height, start, goals, count,
                                           &run->grid);
      break;
  }
  read_stack(&stack_used[0]);
  CHECK_STATUS(status, TINYSTAR_STATUS_OK);
}

static void end(struct run *run) {
  for (size_t i = 0; i < GUARD; i++) {
    CHECK(run->block[i] == 0x5A && run->block[GUARD + run->size + i] == 0x5A);
  }
  free(run->block);
  free(run->changed);
}

static uint8_t cell_of(const struct run *run, tinystar_cell cell) {
  size_t index = (size_t)cell.y * run->world->width + cell.x;
  uint8_t weight = run->world->cells[index];
  if (run->changed[index]) {
    return weight == 0 ? 1 : 0;
  }
  return weight;
}

static void observe_cell(struct run *run, tinystar_cell cell) {
  uint8_t weight = cell_of(run, cell);
  tinystar_occupancy seen = weight == 0 ? TINYSTAR_OCCUPANCY_BLOCKED : TINYSTAR_OCCUPANCY_FREE;
  CHECK_STATUS(tinystar_grid_observe_cell(run->grid, cell, seen), TINYSTAR_STATUS_OK);
  if (run->world->kind == WEIGHTED && weight != 0) {
    CHECK_STATUS(tinystar_grid_set_weight(run->grid, cell, weight), TINYSTAR_STATUS_OK);
  }
}

static void tick_maze(struct run *run) {
  const struct world *world = run->world;
  uint8_t walls = world->cells[(size_t)run->at.y * world->width + run->at.x];
  for (unsigned side = 0; side < 4; side++) {
    tinystar_occupancy wall =
        (walls >> side & 1u) != 0 ? TINYSTAR_OCCUPANCY_BLOCKED : TINYSTAR_OCCUPANCY_FREE;
    CHECK_STATUS(tinystar_maze_observe_wall(run->maze, run->at, (tinystar_side)side, wall),
                 TINYSTAR_STATUS_OK);
  }
  tinystar_decision decision;
  paint_stack();
  tinystar_status status = tinystar_maze_tick(run->maze, run->at, world->budget, &decision);
  read_stack(&stack_used[1]);
  CHECK_STATUS(status, TINYSTAR_STATUS_OK);
  tinystar_phase phase;
  CHECK_STATUS(tinystar_maze_phase(run->maze, &phase), TINYSTAR_STATUS_OK);
  printf("%u %u %u %u %u\n", run->number, decision.action, decision.next.x, decision.next.y, phase);
  if (decision.action == TINYSTAR_ACTION_STEP) {
    run->at = decision.next;
  }
  if (decision.action != TINYSTAR_ACTION_ARRIVED) {
    return;
  }
  switch (run->leg++) {
    case 0: {
      bool is_solved = false;
      CHECK_STATUS(tinystar_maze_is_solved(run->maze, &is_solved), TINYSTAR_STATUS_OK);
      CHECK(is_solved);
      CHECK_STATUS(tinystar_maze_run_again(run->maze), TINYSTAR_STATUS_OK);
      break;
    }
    case 1:
      CHECK_STATUS(tinystar_maze_go_to(run->maze, &world->start, 1), TINYSTAR_STATUS_OK);
      break;
    default: run->done = true; break;
  }
}

/* A cell that changes between free and blocked wherever the robot is. */
static void change_a_cell(struct run *run) {
  const struct world *world = run->world;
  uint32_t index = run->ticks * 40503u % ((uint32_t)world->width * world->height);
  tinystar_cell cell = {(uint16_t)(index % world->width), (uint16_t)(index / world->width)};
  if (same(cell, run->at) || same(cell, world->goals[0]) || same(cell, world->start)) {
    return;
  }
  run->changed[index] = !run->changed[index];
  observe_cell(run, cell);
}

static void tick_grid(struct run *run) {
  const struct world *world = run->world;
  if (world->change_every != 0 && run->ticks % world->change_every == 0) {
    change_a_cell(run);
  }
  for (int dy = -1; dy <= 1; dy++) {
    for (int dx = -1; dx <= 1; dx++) {
      int x = run->at.x + dx, y = run->at.y + dy;
      bool is_diagonal = dx != 0 && dy != 0;
      bool is_inside = x >= 0 && y >= 0 && x < world->width && y < world->height;
      if (!is_inside || (dx == 0 && dy == 0) || (is_diagonal && world->kind != EIGHT)) {
        continue;
      }
      tinystar_cell cell = {(uint16_t)x, (uint16_t)y};
      observe_cell(run, cell);
    }
  }
  tinystar_decision decision;
  paint_stack();
  tinystar_status status = tinystar_grid_tick(run->grid, run->at, world->budget, &decision);
  read_stack(&stack_used[1]);
  CHECK_STATUS(status, TINYSTAR_STATUS_OK);
  printf("%u %u %u %u 0\n", run->number, decision.action, decision.next.x, decision.next.y);
  if (decision.action == TINYSTAR_ACTION_STEP) {
    run->at = decision.next;
    CHECK(cell_of(run, run->at) != 0);
  }
  if (decision.action != TINYSTAR_ACTION_ARRIVED) {
    return;
  }
  if (run->leg++ == 0) {
    CHECK_STATUS(tinystar_grid_set_goal(run->grid, world->start), TINYSTAR_STATUS_OK);
  } else {
    run->done = true;
  }
}

static void tick(struct run *run) {
  if (run->done) {
    return;
  }
  if (run->maze != NULL) {
    tick_maze(run);
  } else {
    tick_grid(run);
  }
  run->ticks++;
  CHECK(run->ticks < MAX_TICKS);
  if (run->done) {
    tinystar_stats stats;
    tinystar_status status = run->maze != NULL ? tinystar_maze_stats(run->maze, &stats)
                                               : tinystar_grid_stats(run->grid, &stats);
    CHECK_STATUS(status, TINYSTAR_STATUS_OK);
    printf("%u total %lu %lu\n", run->number, (unsigned long)stats.total.expansions,
           (unsigned long)stats.max_per_tick.expansions);
  }
}

int main(void) {
  check_errors();
  for (unsigned number = 0; number < WORLDS; number += 2) {
    struct run one, other;
    begin(&one, number);
    begin(&other, (number + 1) % WORLDS);
    other.done = number + 1 == WORLDS;
    while (!one.done || !other.done) {
      tick(&one);
      tick(&other);
    }
    end(&one);
    end(&other);
  }
  printf("stack %lu %lu\n", (unsigned long)stack_used[0], (unsigned long)stack_used[1]);
  return 0;
}
