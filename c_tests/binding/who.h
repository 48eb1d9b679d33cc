/* Says who answers: the version that mysql_get_client_info tells, and the file that the function is in. */
#ifndef WHO_H
#define WHO_H
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static void who(const char *tag, const char *(*info)(void)) {
  Dl_info at;
  const char *file = "?";
  if (dladdr((void *)info, &at) && at.dli_fname) {
    file = strrchr(at.dli_fname, '/');
    file = file ? file + 1 : at.dli_fname;
  }
  printf("%s: %s from %s\n", tag, info(), file);
}
#endif
