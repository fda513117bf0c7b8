// The parts of Arduino that the examples use, on a host: a sketch runs until it prints "done".
#ifndef ARDUINO_H
#define ARDUINO_H

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

class SerialPort {
 public:
  void begin(unsigned long) {}
  template <typename T>
  void print(T value) {
    std::cout << value;
  }
  template <typename T>
  void println(T value) {
    std::cout << value << std::endl;
  }
  void println(const char *text) {
    std::cout << text << std::endl;
    if (std::string(text) == "done") {
      std::exit(0);
    }
  }
};

static SerialPort Serial;

// A sketch that only waits will never be done.
inline void delay(unsigned long milliseconds) {
  if (milliseconds >= 1000) {
    std::exit(1);
  }
}

void setup();
void loop();

int main() {
  setup();
  for (int i = 0; i < 10000; i++) {
    loop();
  }
  return 1;
}

#endif
