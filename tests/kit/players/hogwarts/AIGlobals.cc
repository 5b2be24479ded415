// Plays by globals that change, so that its orders tell whether they are new in each match; and says
// on stdout what they were at first. Variables of the environment name a way to fail.
#include "Player.hh"

#include <csignal>
#include <thread>
#include <unistd.h>

#define PLAYER_NAME Globals

int plays = 0;
vector<int> drawn;

/// What a global does before main: text that stays in stdout's buffer, and perhaps a thread.
struct Loaded {
  Loaded () {
    printf("loaded\n");
    if (getenv("THREAD")) thread([] { pause(); }).detach();
  }
} loaded;

struct PLAYER_NAME : public Player {

  static Player* factory () {
    return new PLAYER_NAME;
  }

  // The first match makes this file; whoever finds it plays a later one.
  bool later = false;

  PLAYER_NAME () {
    printf("plays %d, drawn %d\n", plays, int(drawn.size()));
    if (const char* mark = getenv("MARK")) {
      later = ifstream(mark).good();
      ofstream(mark, ios::app) << getpid() << " " << getppid() << endl;
    }
  }

  virtual void play () {
    static int steps = rand() % 8;
    if (later and getenv("END") and round() == 3) {
      const string end = getenv("END");
      cerr << "last words" << endl;
      if (end == "signal") raise(SIGSEGV);
      if (end == "code") exit(7);
      throw runtime_error("not again");
    }
    drawn.push_back(random(0, 7) + plays++ + rand());
    for (int id : wizards(me())) move(id, Dir((drawn[drawn.size() / 2] + ++steps + id) % 8));
  }

};

RegisterPlayer(PLAYER_NAME);
