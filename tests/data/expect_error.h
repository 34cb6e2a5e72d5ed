// That something throws, of the right kind and with the right words.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

namespace m3lak {

template <class Exception, class Action>
void expect_error(const Action& action, std::initializer_list<const char*> words) {
  try {
    action();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Exception& error) {
    const std::string message = error.what();
    for (const char* word : words) {
      EXPECT_NE(message.find(word), std::string::npos) << "no \"" << word << "\" in: " << message;
    }
  }
}

}  // namespace m3lak
