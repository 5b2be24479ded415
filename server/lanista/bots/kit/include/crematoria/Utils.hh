// The standard library and a few helpers.
#ifndef Utils_hh
#define Utils_hh

#include "../kit/utils.hh"

#endif
