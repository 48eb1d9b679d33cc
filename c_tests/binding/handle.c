/* A plugin that uses handles in its own memory, as DBD::mysql does: initialised, a connect that fails, copied away,
   filled with zeros, closed, initialised again, copied back, closed. host.c opens it, for two ABIs in one process. */
#include <mysql.h>
#include <stdio.h>
#include <string.h>

#define CANARY 64

void module_main(void) {
  struct {
    MYSQL mysql;
    unsigned char canary[CANARY];
  } place;
  memset(&place, 0xA5, sizeof place);

  int same = mysql_init(&place.mysql) == &place.mysql;
  unsigned int timeout = 3;
  mysql_options(&place.mysql, MYSQL_OPT_CONNECT_TIMEOUT, &timeout);
  int refused = !mysql_real_connect(&place.mysql, "localhost", "nobody", "", NULL, 0, "/nonexistent/socket", 0);
  printf("%s: init %d refused %d fd %d size %zu error %u %s\n", TAG, same, refused, (int)place.mysql.net.fd,
         sizeof(MYSQL), mysql_errno(&place.mysql), mysql_error(&place.mysql));

  MYSQL saved = place.mysql;
  memset(&place.mysql, 0, sizeof place.mysql);
  mysql_close(&place.mysql);
  same = mysql_init(&place.mysql) == &place.mysql;
  printf("%s: again %d error %u\n", TAG, same, mysql_errno(&place.mysql));
  mysql_close(&place.mysql);
  place.mysql = saved;
  printf("%s: back error %u field %u\n", TAG, mysql_errno(&place.mysql), place.mysql.net.last_errno);
  mysql_close(&place.mysql);

  int intact = 1;
  for (int i = 0; i < CANARY; i++) intact &= place.canary[i] == 0xA5;
  printf("%s: memory behind it %s\n", TAG, intact ? "intact" : "overwritten");
}
