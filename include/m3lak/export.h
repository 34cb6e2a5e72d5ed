// Marks what the shared library shows to the outside.
#pragma once

#define M3LAK_API __attribute__((visibility("default")))
