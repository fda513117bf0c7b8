/* Every error code, from bad pointers, sizes and values. */

#include <string.h>

#include "tinystar.h"
#include "checks.h"

TINYSTAR_MAZE_MEMORY(maze_memory, 6, 5);
TINYSTAR_GRID_MEMORY(grid_memory, 6, 5);
TINYSTAR_GRID_WEIGHTED_MEMORY(weighted_memory, 6, 5);

static const tinystar_cell start = {0, 0}, goal = {5, 4}, outside = {6, 0};

static void check_sizes(void) {
  static const uint16_t sides[] = {1, 2, 3, 15, 16, 17, 32, 64, 101, 200, 254};
  for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i++) {
    for (size_t j = 0; j < sizeof sides / sizeof sides[0]; j++) {
      uint16_t w = sides[i], h = sides[j];
      CHECK(tinystar_maze_size(w, h) == TINYSTAR_MAZE_SIZE(w, h));
      CHECK(tinystar_grid_size(w, h) == TINYSTAR_GRID_SIZE(w, h));
      CHECK(tinystar_grid_weighted_size(w, h) == TINYSTAR_GRID_WEIGHTED_SIZE(w, h));
    }
  }
  CHECK(tinystar_maze_size(255, 255) == 0 && tinystar_maze_size(65535, 65535) == 0);
  CHECK(tinystar_grid_size(255, 255) == 0 && tinystar_grid_weighted_size(65535, 65535) == 0);
  CHECK(tinystar_alignment() == TINYSTAR_ALIGNMENT);
  CHECK(tinystar_version() == TINYSTAR_VERSION);
  CHECK((uintptr_t)maze_memory % TINYSTAR_ALIGNMENT == 0);
}

/* Expects an error of `tinystar_maze_init`, which leaves no navigator. */
static void refuse(void *memory, size_t size, uint16_t width, uint16_t height, tinystar_cell from,
                   const tinystar_cell *goals, size_t count, tinystar_status expected) {
  tinystar_maze *maze = (tinystar_maze *)maze_memory;
  CHECK_STATUS(tinystar_maze_init(memory, size, width, height, from, goals, count, &maze), expected);
  CHECK(maze == NULL);
  CHECK_STATUS(tinystar_maze_go_home(maze), TINYSTAR_STATUS_NULL_POINTER);
}

static void check_init(void) {
  void *memory = maze_memory;
  const size_t size = sizeof maze_memory;
  tinystar_cell many[TINYSTAR_MAX_GOALS + 1];
  tinystar_maze *maze = NULL;
  memset(many, 0, sizeof many);
  /* Zero and any other content hold no navigator. */
  for (int byte = 0; byte < 256; byte += 85) {
    memset(memory, byte, size);
    CHECK_STATUS(tinystar_maze_go_home((tinystar_maze *)memory), TINYSTAR_STATUS_NOT_INITIALIZED);
  }
  refuse(NULL, size, 6, 5, start, &goal, 1, TINYSTAR_STATUS_NULL_POINTER);
  refuse((char *)memory + 4, size - 4, 6, 5, start, &goal, 1, TINYSTAR_STATUS_MISALIGNED);
  refuse(memory, tinystar_maze_size(6, 5) - 1, 6, 5, start, &goal, 1, TINYSTAR_STATUS_OUT_OF_MEMORY);
  refuse(memory, 0, 6, 5, start, &goal, 1, TINYSTAR_STATUS_OUT_OF_MEMORY);
  refuse(memory, size, 100, 100, start, &goal, 1, TINYSTAR_STATUS_OUT_OF_MEMORY);
  refuse(memory, size, 300, 300, start, &goal, 1, TINYSTAR_STATUS_MAP_TOO_LARGE);
  refuse(memory, size, 0, 5, start, &goal, 1, TINYSTAR_STATUS_EMPTY_MAP);
  refuse(memory, size, 6, 5, outside, &goal, 1, TINYSTAR_STATUS_OFF_MAP);
  refuse(memory, size, 6, 5, start, &outside, 1, TINYSTAR_STATUS_OFF_MAP);
  refuse(memory, size, 6, 5, start, NULL, 1, TINYSTAR_STATUS_NULL_POINTER);
  refuse(memory, size, 6, 5, start, (const tinystar_cell *)((const char *)many + 1), 1,
         TINYSTAR_STATUS_MISALIGNED);
  refuse(memory, size, 6, 5, start, &goal, 0, TINYSTAR_STATUS_NO_GOAL);
  refuse(memory, size, 6, 5, start, many, TINYSTAR_MAX_GOALS + 1, TINYSTAR_STATUS_TOO_MANY_GOALS);
  CHECK_STATUS(tinystar_maze_init(memory, size, 6, 5, start, &goal, 1, NULL),
               TINYSTAR_STATUS_NULL_POINTER);
  CHECK_STATUS(tinystar_maze_init(memory, size, 6, 5, start, many, TINYSTAR_MAX_GOALS, &maze),
               TINYSTAR_STATUS_OK);
  /* A navigator of which another is made in vain is none any more. */
  tinystar_maze *old = maze;
  refuse(memory, size, 0, 5, start, &goal, 1, TINYSTAR_STATUS_EMPTY_MAP);
  CHECK_STATUS(tinystar_maze_go_home(old), TINYSTAR_STATUS_NOT_INITIALIZED);
}

static void check_maze(void) {
  tinystar_maze *maze;
  tinystar_decision decision = {TINYSTAR_ACTION_WAIT, {9, 9}};
  tinystar_phase phase;
  tinystar_occupancy wall;
  tinystar_stats stats;
  bool is_solved;
  CHECK_STATUS(
      tinystar_maze_init(maze_memory, sizeof maze_memory, 6, 5, start, &goal, 1, &maze),
      TINYSTAR_STATUS_OK);
  CHECK((void *)maze == (void *)maze_memory);
  tinystar_maze *misaligned = (tinystar_maze *)((char *)maze + 2);
  CHECK_STATUS(tinystar_maze_tick(NULL, start, 8, &decision), TINYSTAR_STATUS_NULL_POINTER);
  CHECK_STATUS(tinystar_maze_tick(misaligned, start, 8, &decision), TINYSTAR_STATUS_MISALIGNED);
  CHECK_STATUS(tinystar_maze_tick(maze, start, 8, NULL), TINYSTAR_STATUS_NULL_POINTER);
  tinystar_decision *odd = (tinystar_decision *)((char *)&decision + 1);
  CHECK_STATUS(tinystar_maze_tick(maze, start, 8, odd), TINYSTAR_STATUS_MISALIGNED);
  CHECK_STATUS(tinystar_maze_tick(maze, outside, 8, &decision), TINYSTAR_STATUS_OFF_MAP);
  CHECK(decision.action == TINYSTAR_ACTION_WAIT && decision.next.x == 9);
  CHECK_STATUS(tinystar_maze_observe_wall(maze, start, (tinystar_side)4, TINYSTAR_OCCUPANCY_FREE),
               TINYSTAR_STATUS_INVALID_VALUE);
  CHECK_STATUS(tinystar_maze_observe_wall(maze, start, TINYSTAR_SIDE_EAST, (tinystar_occupancy)3),
               TINYSTAR_STATUS_INVALID_VALUE);
  CHECK_STATUS(
      tinystar_maze_observe_wall(maze, outside, TINYSTAR_SIDE_EAST, TINYSTAR_OCCUPANCY_FREE),
      TINYSTAR_STATUS_OFF_MAP);
  CHECK_STATUS(
      tinystar_maze_observe_wall(maze, start, TINYSTAR_SIDE_EAST, TINYSTAR_OCCUPANCY_BLOCKED),
      TINYSTAR_STATUS_OK);
  const tinystar_cell beside = {1, 0};
  CHECK_STATUS(tinystar_maze_wall(maze, beside, TINYSTAR_SIDE_WEST, &wall), TINYSTAR_STATUS_OK);
  CHECK(wall == TINYSTAR_OCCUPANCY_BLOCKED);
  CHECK_STATUS(tinystar_maze_wall(maze, beside, TINYSTAR_SIDE_EAST, &wall), TINYSTAR_STATUS_OK);
  CHECK(wall == TINYSTAR_OCCUPANCY_UNKNOWN);
  CHECK_STATUS(tinystar_maze_wall(maze, outside, TINYSTAR_SIDE_EAST, &wall), TINYSTAR_STATUS_OFF_MAP);
  CHECK_STATUS(tinystar_maze_wall(maze, start, TINYSTAR_SIDE_EAST, NULL), TINYSTAR_STATUS_NULL_POINTER);
  CHECK_STATUS(tinystar_maze_phase(maze, NULL), TINYSTAR_STATUS_NULL_POINTER);
  CHECK_STATUS(tinystar_maze_is_solved(maze, NULL), TINYSTAR_STATUS_NULL_POINTER);
  CHECK_STATUS(tinystar_maze_stats(maze, NULL), TINYSTAR_STATUS_NULL_POINTER);
  CHECK_STATUS(tinystar_maze_set_goal(maze, outside), TINYSTAR_STATUS_OFF_MAP);
  CHECK_STATUS(tinystar_maze_set_goals(maze, &goal, 0), TINYSTAR_STATUS_NO_GOAL);
  CHECK_STATUS(tinystar_maze_go_to(maze, NULL, 1), TINYSTAR_STATUS_NULL_POINTER);
  /* A restart that is refused changes nothing. */
  CHECK_STATUS(tinystar_maze_restart(maze, outside, &goal, 1), TINYSTAR_STATUS_OFF_MAP);
  CHECK_STATUS(tinystar_maze_restart(maze, start, &outside, 1), TINYSTAR_STATUS_OFF_MAP);
  CHECK_STATUS(tinystar_maze_tick(maze, start, 8, &decision), TINYSTAR_STATUS_OK);
  CHECK(decision.action == TINYSTAR_ACTION_STEP && decision.next.x == 0 && decision.next.y == 1);
  CHECK_STATUS(tinystar_maze_stats(maze, &stats), TINYSTAR_STATUS_OK);
  CHECK(stats.total.visits > 0 && stats.max_per_tick.expansions <= 8);
  /* A restart keeps the map. */
  CHECK_STATUS(tinystar_maze_restart(maze, start, &goal, 1), TINYSTAR_STATUS_OK);
  CHECK_STATUS(tinystar_maze_wall(maze, beside, TINYSTAR_SIDE_WEST, &wall), TINYSTAR_STATUS_OK);
  CHECK(wall == TINYSTAR_OCCUPANCY_BLOCKED);
  CHECK_STATUS(tinystar_maze_phase(maze, &phase), TINYSTAR_STATUS_OK);
  CHECK(phase == TINYSTAR_PHASE_SEARCH);
  CHECK_STATUS(tinystar_maze_is_solved(maze, &is_solved), TINYSTAR_STATUS_OK);
  CHECK(!is_solved);
  CHECK_STATUS(tinystar_maze_go_to(maze, &goal, 1), TINYSTAR_STATUS_OK);
  CHECK_STATUS(tinystar_maze_phase(maze, &phase), TINYSTAR_STATUS_OK);
  CHECK(phase == TINYSTAR_PHASE_TRAVEL);
  CHECK_STATUS(tinystar_maze_tick(maze, start, 0, &decision), TINYSTAR_STATUS_OK);
  CHECK(decision.action == TINYSTAR_ACTION_WAIT && decision.next.x == 0 && decision.next.y == 0);
}

static void check_grid(void) {
  tinystar_grid *grid, *weighted;
  tinystar_decision decision;
  tinystar_occupancy seen;
  CHECK_STATUS(
      tinystar_grid_init(grid_memory, sizeof grid_memory, 6, 5, start, &goal, 1, &grid),
      TINYSTAR_STATUS_OK);
  CHECK_STATUS(tinystar_grid_set_weight(grid, start, 2), TINYSTAR_STATUS_UNSUPPORTED);
  CHECK_STATUS(tinystar_grid_observe_cell(grid, outside, TINYSTAR_OCCUPANCY_FREE),
               TINYSTAR_STATUS_OFF_MAP);
  CHECK_STATUS(tinystar_grid_observe_cell(grid, goal, TINYSTAR_OCCUPANCY_BLOCKED), TINYSTAR_STATUS_OK);
  CHECK_STATUS(tinystar_grid_cell(grid, goal, &seen), TINYSTAR_STATUS_OK);
  CHECK(seen == TINYSTAR_OCCUPANCY_BLOCKED);
  CHECK_STATUS(tinystar_grid_cell(grid, outside, &seen), TINYSTAR_STATUS_OFF_MAP);
  CHECK_STATUS(tinystar_grid_restart(grid, start, &outside, 1), TINYSTAR_STATUS_OFF_MAP);
  CHECK_STATUS(tinystar_grid_restart(grid, start, &goal, 1), TINYSTAR_STATUS_OK);
  CHECK_STATUS(tinystar_grid_tick(grid, start, TINYSTAR_UNLIMITED, &decision), TINYSTAR_STATUS_OK);
  CHECK(decision.action == TINYSTAR_ACTION_UNREACHABLE);
  /* One kind of navigator is not taken for another. */
  CHECK_STATUS(tinystar_maze_go_home((tinystar_maze *)grid_memory), TINYSTAR_STATUS_NOT_INITIALIZED);
  CHECK_STATUS(tinystar_grid_stats((tinystar_grid *)maze_memory, NULL), TINYSTAR_STATUS_NOT_INITIALIZED);
  CHECK_STATUS(tinystar_grid_init_weighted(grid_memory, sizeof grid_memory, 6, 5, start, &goal, 1,
                                           &weighted),
               TINYSTAR_STATUS_OUT_OF_MEMORY);
  CHECK_STATUS(tinystar_grid_init_weighted(weighted_memory, sizeof weighted_memory, 6, 5, start,
                                           &goal, 1, &weighted),
               TINYSTAR_STATUS_OK);
  CHECK_STATUS(tinystar_grid_set_weight(weighted, goal, TINYSTAR_MAX_WEIGHT), TINYSTAR_STATUS_OK);
  CHECK_STATUS(tinystar_grid_set_weight(weighted, goal, 0), TINYSTAR_STATUS_INVALID_VALUE);
  CHECK_STATUS(tinystar_grid_set_weight(weighted, goal, TINYSTAR_MAX_WEIGHT + 1),
               TINYSTAR_STATUS_INVALID_VALUE);
  CHECK_STATUS(tinystar_grid_set_weight(weighted, outside, 1), TINYSTAR_STATUS_OFF_MAP);
}

void check_errors(void) {
  check_sizes();
  check_init();
  check_maze();
  check_grid();
}
