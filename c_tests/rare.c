/*
 * rare.c: calls that hardly a program makes: shutting a server down, plugins by name,
 * TLS sessions, extended columns, packets and lengths by hand. Not conversions: Debian's
 * Connector/C is built without.
 */
#include "lab.h"

#if !LAB_MARIADB_ABI
extern const char *mysql_get_server_info_with_version_update(MYSQL *);

static void mysql_only(void)
{
  section("the version with its update");
  MYSQL *m = connected();
  const char *text = mysql_get_server_info_with_version_update(m);
  say("%s", or_null(text));
  show("after it", m);
  alive(m);
  mysql_close(m);
  m = mysql_init(NULL);
  text = mysql_get_server_info_with_version_update(m);
  say("%s", or_null(text));
  show("never connected", m);

  section("TLS sessions");
  unsigned length = 7;
  say("never connected: %d", mysql_get_ssl_session_data(m, 0, &length) != NULL);
  show("after it", m);
  unsigned mode = SSL_MODE_DISABLED;
  bool on = 1;
  mysql_options(m, MYSQL_OPT_SSL_MODE, &mode);
  mysql_options(m, MYSQL_OPT_GET_SERVER_PUBLIC_KEY, &on);
  connected_to(m, db(), 0);
  say("without TLS: %d", mysql_get_ssl_session_data(m, 0, &length) != NULL);
  show("after it", m);
  say("reused %d, NULL given back %d", mysql_get_ssl_session_reused(m), mysql_free_ssl_session_data(m, NULL));
  mysql_close(m);
}
#else
static void mariadb_only(void)
{
  section("extended columns");
  MYSQL *m = connected();
  static const char *const statements[] = {
      "SELECT 1 AS a", "SELECT ST_GeomFromText('POINT(1 1)') AS p, JSON_OBJECT('a', 1) AS j, 'x' AS x",
      "SELECT CAST('::1' AS INET6) AS i, CAST('00000000-0000-0000-0000-000000000001' AS UUID) AS u"};
  for (int s = 0; s < (server_is_mysql() ? 1 : 3); s++) {
    if (query(m, statements[s]))
      continue;
    MYSQL_RES *r = mysql_store_result(m);
    for (unsigned i = 0; i < mysql_num_fields(r); i++) {
      MYSQL_FIELD *field = mysql_fetch_field_direct(r, i);
      for (int number = 0; number < 3; number++) {
        MARIADB_CONST_STRING attribute = {"untouched", 9};
        int rc = mariadb_field_attr(&attribute, field, (enum mariadb_field_attr_t)number);
        say("%s %d: rc=%d %s", field->name, number, rc, bytes(attribute.str, attribute.length));
      }
    }
    mysql_free_result(r);
  }
  must(m, "DROP TABLE IF EXISTS rare_t");
  if (!server_is_mysql()) {
    must(m, "CREATE TABLE rare_t (p POINT, g GEOMETRY, j JSON, n INT)");
    query(m, "SELECT * FROM rare_t");
    MYSQL_RES *r = mysql_use_result(m);
    for (MYSQL_FIELD *field; (field = mysql_fetch_field(r));) {
      MARIADB_CONST_STRING attribute;
      int rc = mariadb_field_attr(&attribute, field, MARIADB_FIELD_ATTR_DATA_TYPE_NAME);
      say("%s rc=%d %s", field->name, rc, bytes(attribute.str, attribute.length));
      rc = mariadb_field_attr(&attribute, field, MARIADB_FIELD_ATTR_FORMAT_NAME);
      say("%s rc=%d %s", field->name, rc, bytes(attribute.str, attribute.length));
    }
    mysql_free_result(r);
    must(m, "DROP TABLE rare_t");
  }

  section("packets and lengths by hand");
  static unsigned char lengths[] = {5, 251, 252, 1, 2, 253, 1, 2, 3, 254, 1, 2, 3, 4, 5, 6, 7, 8, 250};
  unsigned char *p = lengths;
  while (p < lengths + sizeof lengths) {
    int first = *p;
    unsigned char *before = p;
    unsigned long n = mysql_net_field_length(&p);
    say("%d: %lx, %d bytes", first, n, (int)(p - before));
  }
  m->methods->db_command(m, COM_PING, NULL, 0, 1, NULL);
  unsigned long n = mysql_net_read_packet(m);
  say("answer to a ping: %s", n == 7 ? bytes(m->net.read_pos, 3) : "of another length");
  mysql_close(m);
}
#endif

int main(void)
{
  lab_start();
  section("shutting down without the right to");
  MYSQL *m = connected();
  show_rc("shutdown", mysql_shutdown(m, SHUTDOWN_DEFAULT), m);
  alive(m);

  section("refreshing");
  MYSQL *a = admin();
  static const unsigned what[] = {1, 16, 4, 1 | 4 | 16, 8, 32, 0};
  for (int i = 0; i < 7; i++) {
    char text[40];
    snprintf(text, sizeof text, "refresh %u", what[i]);
    show_rc(text, mysql_refresh(a, what[i]), a);
  }
  mysql_close(a);
  a = connected();
  show_rc("refresh without the right to", mysql_refresh(a, 1), a);
#if !LAB_MARIADB_ABI
  say("killing an id that is none: %d", mysql_kill(a, 0xff12345678UL));
  show("  error", a);
#endif
  mysql_close(a);

  section("plugins");
  static const char *const names[] = {"caching_sha2_password", "sha256_password", "mysql_clear_password", "no_such_plugin"};
  lab_cut_after("loaded: ");
  for (int i = 0; i < 4; i++) {
    struct st_mysql_client_plugin *plugin = mysql_client_find_plugin(m, names[i], 2);
    say("%s: %d", names[i], plugin != NULL);
    if (plugin)
      say("  %d %x %s, author %d, text %d, license %d", ((int *)plugin)[0], ((unsigned *)plugin)[1], ((char **)plugin)[1],
          ((char **)plugin)[2] != NULL, ((char **)plugin)[3] != NULL, ((char **)plugin)[6] != NULL);
    else
      show("  error", m);
  }
  mysql_close(m);
#if LAB_MARIADB_ABI
  mariadb_only();
#else
  mysql_only();
#endif
  mysql_library_end();
  printf("\nend\n");
  return 0;
}
