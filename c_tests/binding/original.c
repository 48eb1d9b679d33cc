/* Stands for an original library that is not on this machine. */
const char *mysql_get_client_info(void) { return WHO; }
unsigned long mysql_get_client_version(void) { return 1; }
/* For handle.c to be linked; never called by a test. */
void *mysql_init(void *mysql) { return mysql; }
int mysql_options(void *mysql, int option, const void *value) { return mysql == value || option; }
void *mysql_real_connect(void *mysql) { return mysql; }
unsigned int mysql_errno(void *mysql) { return !mysql; }
const char *mysql_error(void *mysql) { return mysql ? WHO : ""; }
void mysql_close(void *mysql) { (void)mysql; }
