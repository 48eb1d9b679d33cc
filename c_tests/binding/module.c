/* A plugin that is linked to one of the client libraries; host.c opens it. */
#define _GNU_SOURCE
#include "who.h"
const char *mysql_get_client_info(void);

void module_main(void) { who(TAG, mysql_get_client_info); }
