/*
 * Authentication plugins for servers of both families, for tests: each account's
 * secret is its authentication string.
 *
 *   lab_talk    asks the client plugin lab_talk three questions, of which the second and
 *               third begin with bytes that the protocol has to mark; wants A<n>:<secret>
 *   lab_clear   wants <secret> and a NUL from the client plugin lab_clear_client
 *   lab_factor  wants the same from mysql_clear_password
 *   lab_dialog  asks by the client plugin dialog: a name, a secret, a last one
 *   lab_secret  asks by dialog for the secret alone
 *
 * The structures are declared here as the servers lay them out, since no package has
 * their headers for both.
 */
#include <stdio.h>
#include <string.h>

typedef struct lab_vio {
  int (*read_packet)(struct lab_vio *, unsigned char **);
  int (*write_packet)(struct lab_vio *, const unsigned char *, int);
  void (*info)(struct lab_vio *, void *);
} lab_vio;

typedef struct {
  const char *user_name;
  unsigned int user_name_length;
  const char *auth_string;
  unsigned long auth_string_length;
  /* more follows */
} lab_account;

struct lab_auth {
  int interface_version;
  const char *client_plugin;
  int (*authenticate)(lab_vio *, lab_account *);
  int (*generate)(char *, unsigned int *, const char *, unsigned int);
  int (*validate)(char *const, unsigned int);
  int (*set_salt)(const char *, unsigned int, unsigned char *, unsigned char *);
  unsigned long flags;
  int (*compare)(const char *, unsigned long, const char *, unsigned long, int *);
};

struct lab_plugin {
  int type;
  void *info;
  const char *name, *author, *description;
  int license;
  int (*init)(void *);
#ifndef LAB_MARIADB
  int (*check_uninstall)(void *);
#endif
  int (*deinit)(void *);
  unsigned int version;
  void *status_vars, *system_vars;
#ifdef LAB_MARIADB
  const char *version_info;
  unsigned int maturity;
#else
  void *reserved;
  unsigned long flags;
#endif
};

enum { REFUSED = 0, GOOD = -1 };

static int is_secret(const lab_account *account, const unsigned char *text, int length)
{
  return length == (int)account->auth_string_length && !memcmp(text, account->auth_string, length);
}

static int talk(lab_vio *vio, lab_account *account)
{
  static const char *const questions[] = {"first question", "\xfe second", "\xff third"};
  for (int i = 0; i < 3; i++) {
    unsigned char *packet;
    char wanted[300];
    if (vio->write_packet(vio, (const unsigned char *)questions[i], (int)strlen(questions[i])))
      return REFUSED;
    int length = vio->read_packet(vio, &packet);
    int size = snprintf(wanted, sizeof wanted, "A%d:%.*s", i, (int)account->auth_string_length, account->auth_string);
    if (length != size || memcmp(packet, wanted, size))
      return REFUSED;
  }
  return GOOD;
}

static int clear(lab_vio *vio, lab_account *account)
{
  unsigned char *packet;
  int length = vio->read_packet(vio, &packet);
  return length > 0 && is_secret(account, packet, length - 1) ? GOOD : REFUSED;
}

static int asks(lab_vio *vio, const char *question, unsigned char **answer)
{
  if (vio->write_packet(vio, (const unsigned char *)question, (int)strlen(question)))
    return -1;
  return vio->read_packet(vio, answer);
}

static int dialog(lab_vio *vio, lab_account *account)
{
  unsigned char *answer;
  int length = asks(vio, "\2Name? ", &answer);
  if (length < 1 || strcmp((char *)answer, "lab"))
    return REFUSED;
  length = asks(vio, "\2Colour?\n", &answer);
  if (length < 1 || strcmp((char *)answer, "blue"))
    return REFUSED;
  length = asks(vio, "\5Secret: ", &answer);
  return length > 0 && is_secret(account, answer, length - 1) ? GOOD : REFUSED;
}

static int secret(lab_vio *vio, lab_account *account)
{
  unsigned char *answer;
  int length = asks(vio, "\5Secret: ", &answer);
  return length > 0 && is_secret(account, answer, length - 1) ? GOOD : REFUSED;
}

static int generate(char *out, unsigned int *room, const char *text, unsigned int length)
{
  if (*room < length)
    return 1;
  memcpy(out, text, length);
  *room = length;
  return 0;
}

static int validate(char *const text, unsigned int length)
{
  (void)text, (void)length;
  return 0;
}

static int set_salt(const char *text, unsigned int length, unsigned char *salt, unsigned char *salt_length)
{
  (void)text, (void)length, (void)salt;
  *salt_length = 0;
  return 0;
}

#ifdef LAB_MARIADB
#define AUTH(NAME, CLIENT) static struct lab_auth NAME##_info = {0x0201, CLIENT, NAME, 0, 0, 0, 0, 0}
#define PLUGIN(NAME) {7, &NAME##_info, "lab_" #NAME, "lab", "for tests", 1, 0, 0, 0x0100, 0, 0, "1.0", 1}
#define LAST {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
int _maria_plugin_interface_version_ = 0x010f;
int _maria_sizeof_struct_st_plugin_ = sizeof(struct lab_plugin);
#define DECLARED _maria_plugin_declarations_
#else
#define AUTH(NAME, CLIENT) static struct lab_auth NAME##_info = {0x0201, CLIENT, NAME, generate, validate, set_salt, 0, 0}
#define PLUGIN(NAME) {7, &NAME##_info, "lab_" #NAME, "lab", "for tests", 1, 0, 0, 0, 0x0100, 0, 0, 0, 0}
#define LAST {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
int _mysql_plugin_interface_version_ = 0x010b;
int _mysql_sizeof_struct_st_plugin_ = sizeof(struct lab_plugin);
#define DECLARED _mysql_plugin_declarations_
#endif

AUTH(talk, "lab_talk");
AUTH(clear, "lab_clear_client");
AUTH(dialog, "dialog");
AUTH(secret, "dialog");
static struct lab_auth factor_info = {0x0201, "mysql_clear_password", clear, generate, validate, set_salt, 0, 0};
struct lab_plugin DECLARED[] = {PLUGIN(talk), PLUGIN(clear), PLUGIN(dialog), PLUGIN(secret),
                                PLUGIN(factor), LAST};
