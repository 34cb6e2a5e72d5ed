// Marks what the shared library shows to the outside: what these headers declare, and the little
// more that the program needs.
#pragma once

#define M3LAK_API __attribute__((visibility("default")))
