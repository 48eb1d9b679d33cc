/* A host that opens client libraries and plugins at run time. Arguments, in order:
     mod FILE        open a plugin and run it;     deep FILE   the same with RTLD_DEEPBIND
     lib NAME        dlopen the library, ask it by dlsym who it is
     lacks NAME SYM  dlopen the library: dlsym must not find SYM
     has NAME SYM    dlopen the library: dlsym must find SYM
     node NAME NODE  dlopen the library, ask by dlvsym
     default         dlsym(RTLD_DEFAULT) */
#define _GNU_SOURCE
#include "who.h"
#include <stdlib.h>

typedef const char *(*info_fn)(void);

static void *open_or_die(const char *name, int flags) {
  void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL | flags);
  if (!handle) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  return handle;
}

static void run(const char *tag, void *symbol) {
  if (symbol)
    who(tag, (info_fn)symbol);
  else
    printf("%s: nothing\n", tag);
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    const char *what = argv[i];
    if (!strcmp(what, "mod") || !strcmp(what, "deep")) {
      void *handle = open_or_die(argv[++i], !strcmp(what, "deep") ? RTLD_DEEPBIND : 0);
      void (*entry)(void) = (void (*)(void))dlsym(handle, "module_main");
      entry();
    } else if (!strcmp(what, "lib")) {
      const char *name = argv[++i];
      run(name, dlsym(open_or_die(name, 0), "mysql_get_client_info"));
    } else if (!strcmp(what, "lacks") || !strcmp(what, "has")) {
      const char *name = argv[++i], *symbol = argv[++i];
      void *found = dlsym(open_or_die(name, 0), symbol);
      printf("%s %s %s\n", name, found ? "has" : "lacks", symbol);
      if ((found != NULL) != !strcmp(what, "has")) return 1;
    } else if (!strcmp(what, "node")) {
      const char *name = argv[++i], *node = argv[++i];
      run(node, dlvsym(open_or_die(name, 0), "mysql_get_client_info", node));
    } else if (!strcmp(what, "default")) {
      run("default", dlsym(RTLD_DEFAULT, "mysql_get_client_info"));
    } else {
      fprintf(stderr, "unknown: %s\n", what);
      return 2;
    }
  }
  return 0;
}
