/*
 * infile_handler.c: LOAD DATA LOCAL with functions of the program's own: when each is
 * called and with what, and whose error counts. Then the folder of which files may
 * be sent while the rest is forbidden (MySQL family).
 */
#include "lab.h"
#include <sys/stat.h>

static struct plan {
  const char *name;
  int init_fails, read_fails_at, error_number, chunk, chunks;
} *plan;
static int reads;
static char token;

static int h_init(void **ptr, const char *filename, void *userdata)
{
  *ptr = &token;
  reads = 0;
  say("  init: name %s, the program's data %d", filename, userdata == (void *)plan);
  return plan->init_fails;
}

static int h_read(void *ptr, char *buffer, unsigned int length)
{
  if (reads == 0)
    say("  read: own pointer %d, room for %u or more", ptr == &token, length >= 4096 ? 4096 : length);
  if (reads == plan->read_fails_at)
    return -1;
  if (reads++ >= plan->chunks)
    return 0;
  memset(buffer, '1', (size_t)plan->chunk);
  buffer[plan->chunk - 1] = '\n';
  return plan->chunk;
}

static void h_end(void *ptr)
{
  say("  end: own pointer %d, NULL %d", ptr == &token, ptr == NULL);
}

static int h_error(void *ptr, char *text, unsigned int length)
{
  say("  error: own pointer %d, room for 500 or more %d", ptr == &token, length >= 500);
  snprintf(text, length, "%s, says the handler", plan->name);
  return plan->error_number;
}

static void load(MYSQL *m, const char *name)
{
  char sql[600];
  must(m, "TRUNCATE TABLE infile_h");
  snprintf(sql, sizeof sql, "LOAD DATA LOCAL INFILE '%s' INTO TABLE infile_h (a)", name);
  show_rc("load", mysql_query(m, sql), m);
  show_status("load", m);
  say("rows %s", value(m, "SELECT COUNT(*) FROM infile_h"));
}

static MYSQL *allowed(unsigned int on)
{
  MYSQL *m = mysql_init(NULL);
  mysql_options(m, MYSQL_OPT_LOCAL_INFILE, &on);
  return connected_to(m, db(), 0);
}

static void handlers(void)
{
  static struct plan plans[] = {
      {"all well", 0, -1, 0, 5, 3},
      {"nothing", 0, -1, 0, 5, 0},
      {"many", 0, -1, 0, 1000, 200},
      {"init fails", 1, -1, 4711, 5, 3},
      {"init fails with a number of the client's", 1, -1, 2013, 5, 3},
      {"first read fails", 0, 0, 4712, 5, 3},
      {"second read fails", 0, 1, 4713, 5, 3},
      {"second read fails without a number", 0, 1, 0, 5, 3},
  };
  for (unsigned on = 0; on < 2; on++)
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
      plan = &plans[i];
      section("%s, %s", plan->name, on ? "allowed" : "forbidden");
      MYSQL *m = allowed(on);
      mysql_set_local_infile_handler(m, h_init, h_read, h_end, h_error, plan);
      load(m, "any/name at all");
      alive(m);
      load(m, "again");
      mysql_close(m);
      if (!on)
        break;
    }

  section("a handler set before connecting, and taken away");
  plan = &plans[0];
  unsigned int on = 1;
  MYSQL *m = mysql_init(NULL);
  mysql_options(m, MYSQL_OPT_LOCAL_INFILE, &on);
  mysql_set_local_infile_handler(m, h_init, h_read, h_end, h_error, plan);
  connected_to(m, db(), 0);
  load(m, "first");
  mysql_set_local_infile_default(m);
#if !LAB_MARIADB_ABI /* Connector/C takes the program's data for a handle here */
  load(m, "/nowhere/at all");
#endif
  mysql_set_local_infile_handler(m, h_init, h_read, NULL, h_error, plan);
  load(m, "/nowhere/with a handler that lacks a function");
  mysql_close(m);
}

static void folder_only(void)
{
#if !LAB_MARIADB_ABI
  char folder[] = "/tmp/lab-local-XXXXXX", path[200], inner[200], other[] = "/tmp/lab-other-XXXXXX", link[200], text[200];
  if (!mkdtemp(folder))
    exit(7);
  int fd = mkstemp(other);
  (void)!write(fd, "1\n", 2);
  close(fd);
  lab_mask(folder, "FOLDER");
  lab_mask(other, "OTHER");
  snprintf(path, sizeof path, "%s/file", folder);
  snprintf(inner, sizeof inner, "%s/inner", folder);
  snprintf(link, sizeof link, "%s/link", folder);
  FILE *f = fopen(path, "w");
  fputs("1\n2\n", f);
  fclose(f);
  if (mkdir(inner, 0700) || symlink(other, link))
    exit(7);
  for (unsigned on = 0; on < 2; on++) {
    section("a folder of files that may be sent, the rest %s", on ? "allowed" : "forbidden");
    MYSQL *m = mysql_init(NULL);
    mysql_options(m, MYSQL_OPT_LOCAL_INFILE, &on);
    say("set %d", mysql_options(m, MYSQL_OPT_LOAD_DATA_LOCAL_DIR, folder) != 0);
    const char *got = NULL;
    int rc = mysql_get_option(m, MYSQL_OPT_LOAD_DATA_LOCAL_DIR, &got);
    say("get %d %s", rc, or_null(got));
    connected_to(m, db(), 0);
    load(m, path);
    load(m, other);
    load(m, link);
    snprintf(text, sizeof text, "%s/inner/../file", folder);
    load(m, text);
    snprintf(text, sizeof text, "%s/missing", folder);
    load(m, text);
    alive(m);
    mysql_close(m);
  }
  section("folders that are none");
  int rc;
  MYSQL *m = mysql_init(NULL);
  show_rc("missing folder", mysql_options(m, MYSQL_OPT_LOAD_DATA_LOCAL_DIR, "/nowhere/at/all"), m);
  show_rc("a file", mysql_options(m, MYSQL_OPT_LOAD_DATA_LOCAL_DIR, path), m);
  const char *got = NULL;
  rc = mysql_get_option(m, MYSQL_OPT_LOAD_DATA_LOCAL_DIR, &got);
  say("get %d %s", rc, or_null(got));
  snprintf(text, sizeof text, "%s/inner/..", folder);
  show_rc("a folder by a detour", mysql_options(m, MYSQL_OPT_LOAD_DATA_LOCAL_DIR, text), m);
  rc = mysql_get_option(m, MYSQL_OPT_LOAD_DATA_LOCAL_DIR, &got);
  say("get %d %s", rc, or_null(got));
  show_rc("none", mysql_options(m, MYSQL_OPT_LOAD_DATA_LOCAL_DIR, NULL), m);
  rc = mysql_get_option(m, MYSQL_OPT_LOAD_DATA_LOCAL_DIR, &got);
  say("get %d %s", rc, or_null(got));
  mysql_close(m);
  unlink(link);
  unlink(path);
  unlink(other);
  rmdir(inner);
  rmdir(folder);
#endif
}

int main(void)
{
  lab_start();
  MYSQL *a = admin();
  must(a, "SET GLOBAL local_infile = 1");
  must(a, "DROP TABLE IF EXISTS infile_h");
  must(a, "CREATE TABLE infile_h (a VARCHAR(2000))");
  mysql_close(a);
  handlers();
  folder_only();
  mysql_library_end();
  printf("\nend\n");
  return 0;
}
