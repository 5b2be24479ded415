// What a player file of either game finds without including it (docs/bots/kits.md).
#ifndef LANISTA_KIT_UTILS_HH
#define LANISTA_KIT_UTILS_HH

#include <cassert>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <getopt.h>
#include <iomanip>
#include <iostream>
#include <map>
#include <numeric>
#include <optional>
#include <queue>
#include <set>
#include <sstream>
#include <stack>
#include <string.h>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <algorithm>

using namespace std;

/// The decimal digits of a number.
inline string int_to_string(int number) { return to_string(number); }

/// A number as `cout` prints it: at most six significant digits.
inline string double_to_string(double number) {
  ostringstream text;
  text << number;
  return text.str();
}

/// The number that a text begins with; 0 if it begins with none.
inline int string_to_int(const string& text) { return atoi(text.c_str()); }

namespace lanista_kit {

/// Ends the program by SIGABRT, the reason on cerr: what a failed assertion does.
[[noreturn]] inline void fail(const char* file, int line, const string& message) {
  cerr << file << ":" << line << ": " << message << endl;
  abort();
}

}  // namespace lanista_kit

/// Ends the player with a message unless the condition holds.
#define _my_assert(condition, message) \
  do { \
    if (!(condition)) lanista_kit::fail(__FILE__, __LINE__, message); \
  } while (false)

/// Ends the player: this line was meant never to be reached.
#define _unreachable() lanista_kit::fail(__FILE__, __LINE__, "unreachable code was reached")

#endif
