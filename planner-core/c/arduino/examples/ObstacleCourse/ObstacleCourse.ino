// A robot with eight moves among obstacles that it has never seen. One of them appears while it is under way.
//
// The course is a drawing here, so that the sketch runs on a bare board. On a robot, replace `senseObstacle` by its
// sensors and `drive` by its motors.

#include <Arduino.h>
#include <tinystar.h>

const uint16_t WIDTH = 16;
const uint16_t HEIGHT = 10;
// Limit of the work of a tick, in expanded cells.
const uint32_t BUDGET = 32;
// Steps after which the obstacle `?` appears.
const unsigned APPEARS_AFTER = 4;
// Range of the sensors, in cells.
const int RANGE = 2;

const char *const COURSE[HEIGHT] = {
    "................",
    "..####....#.....",
    ".....#....#.....",
    ".....#....####..",
    ".....#.......#..",
    ".....?...#...#..",
    ".....#...#...#..",
    "..####...#......",
    ".........#......",
    ".........#......",
};

TINYSTAR_GRID_MEMORY(memory, WIDTH, HEIGHT);
tinystar_grid *grid;
tinystar_cell at = {0, 5};
unsigned steps = 0;

// Replace this by the robot's sensors.
bool senseObstacle(tinystar_cell cell) {
  const char place = COURSE[cell.y][cell.x];
  return place == '#' || (place == '?' && steps >= APPEARS_AFTER);
}

// Replace this by the robot's motors.
void drive(tinystar_cell next) {
  at = next;
  steps++;
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

// Observes the cells in range.
void observe() {
  for (int y = at.y - RANGE; y <= at.y + RANGE; y++) {
    for (int x = at.x - RANGE; x <= at.x + RANGE; x++) {
      if (x < 0 || y < 0 || x >= WIDTH || y >= HEIGHT) {
        continue;
      }
      const tinystar_cell cell = {static_cast<uint16_t>(x), static_cast<uint16_t>(y)};
      check(tinystar_grid_observe_cell(
          grid, cell, senseObstacle(cell) ? TINYSTAR_OCCUPANCY_BLOCKED : TINYSTAR_OCCUPANCY_FREE));
    }
  }
}

void setup() {
  Serial.begin(115200);
  const tinystar_cell goal = {15, 5};
  check(tinystar_grid_init_eight(memory, sizeof memory, WIDTH, HEIGHT, at, &goal, 1, &grid));
}

void loop() {
  static bool isDone = false;
  if (isDone) {
    delay(1000);
    return;
  }
  observe();
  tinystar_decision decision;
  check(tinystar_grid_tick(grid, at, BUDGET, &decision));
  switch (decision.action) {
    case TINYSTAR_ACTION_STEP:
      drive(decision.next);
      Serial.print(at.x);
      Serial.print(",");
      Serial.println(at.y);
      break;
    case TINYSTAR_ACTION_WAIT: break;
    case TINYSTAR_ACTION_ARRIVED:
      Serial.println("done");
      isDone = true;
      break;
    case TINYSTAR_ACTION_UNREACHABLE:
      Serial.println("no path");
      isDone = true;
      break;
  }
}
