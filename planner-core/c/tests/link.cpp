// The library in a C++ program, with the standard library of C++ beside it.

#include <cstdio>
#include <vector>

#include "tinystar.h"

TINYSTAR_GRID_MEMORY(memory, 8, 8);

int main() {
  const tinystar_cell start = {0, 0}, goal = {7, 7};
  tinystar_grid *grid = nullptr;
  tinystar_status status =
      tinystar_grid_init_eight(memory, sizeof memory, 8, 8, start, &goal, 1, &grid);
  std::vector<tinystar_cell> path{start};
  tinystar_decision decision = {TINYSTAR_ACTION_STEP, start};
  while (status == TINYSTAR_STATUS_OK && decision.action == TINYSTAR_ACTION_STEP) {
    status = tinystar_grid_tick(grid, path.back(), 32, &decision);
    path.push_back(decision.next);
  }
  std::printf("%u steps\n", static_cast<unsigned>(path.size() - 2));
  return decision.action == TINYSTAR_ACTION_ARRIVED && path.size() - 2 == 7 ? 0 : 1;
}
