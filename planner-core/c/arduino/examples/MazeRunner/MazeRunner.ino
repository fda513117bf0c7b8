// A micromouse: it searches the goal, explores until the shortest path is proven, returns and runs.
//
// The maze is a drawing here, so that the sketch runs on a bare board. On a robot, replace `senseWall` by its sensors
// and `drive` by its motors.

#include <Arduino.h>
#include <tinystar.h>

const uint16_t WIDTH = 8;
const uint16_t HEIGHT = 8;
// Limit of the work of a tick, in expanded cells.
const uint32_t BUDGET = 64;

const char *const MAZE[2 * HEIGHT + 1] = {
    "o---o---o---o---o---o---o---o---o",
    "|               |       |       |",
    "o---o   o---o   o   o   o   o   o",
    "|       |       |       |   |   |",
    "o   o---o---o   o   o   o---o   o",
    "|   |       |       |           |",
    "o   o   o   o   o---o---o---o   o",
    "|       |   |       |       |   |",
    "o   o---o   o   o   o   o   o   o",
    "|   |   |   |   |   |   |       |",
    "o   o   o   o   o   o   o---o---o",
    "|       |       |   |   |       |",
    "o---o   o---o---o   o   o   o   o",
    "|               |   |   |       |",
    "o   o---o---o   o   o   o---o   o",
    "|   |               |           |",
    "o---o---o---o---o---o---o---o---o",
};

TINYSTAR_MAZE_MEMORY(memory, WIDTH, HEIGHT);
tinystar_maze *maze;
tinystar_cell at = {0, HEIGHT - 1};

// Replace this by the robot's sensors.
bool senseWall(tinystar_cell cell, tinystar_side side) {
  const int row = 2 * cell.y + 1;
  const int column = 4 * cell.x + 2;
  switch (side) {
    case TINYSTAR_SIDE_SOUTH: return MAZE[row + 1][column] != ' ';
    case TINYSTAR_SIDE_WEST: return MAZE[row][column - 2] != ' ';
    case TINYSTAR_SIDE_NORTH: return MAZE[row - 1][column] != ' ';
    default: return MAZE[row][column + 2] != ' ';
  }
}

// Replace this by the robot's motors.
void drive(tinystar_cell next) {
  at = next;
  delay(50);
}

// Stops the robot if a call failed.
void check(tinystar_status status) {
  if (status != TINYSTAR_STATUS_OK) {
    Serial.print("error ");
    Serial.println(static_cast<int>(status));
    while (true) {
      delay(1000);
    }
  }
}

void setup() {
  Serial.begin(115200);
  const tinystar_cell goals[] = {{3, 3}, {4, 3}, {3, 4}, {4, 4}};
  check(tinystar_maze_init(memory, sizeof memory, WIDTH, HEIGHT, at, goals, 4, &maze));
}

void loop() {
  static const char *const PHASES[] = {"search", "explore", "return", "run", "done", "travel"};
  static tinystar_phase last = TINYSTAR_PHASE_TRAVEL;
  tinystar_phase phase;
  check(tinystar_maze_phase(maze, &phase));
  if (phase != last) {
    Serial.println(PHASES[phase]);
    last = phase;
  }
  if (phase == TINYSTAR_PHASE_DONE) {
    delay(1000);
    return;
  }
  for (uint8_t side = 0; side < 4; side++) {
    const tinystar_side wall = static_cast<tinystar_side>(side);
    check(tinystar_maze_observe_wall(
        maze, at, wall, senseWall(at, wall) ? TINYSTAR_OCCUPANCY_BLOCKED : TINYSTAR_OCCUPANCY_FREE));
  }
  tinystar_decision decision;
  check(tinystar_maze_tick(maze, at, BUDGET, &decision));
  if (decision.action == TINYSTAR_ACTION_STEP) {
    drive(decision.next);
  }
}
