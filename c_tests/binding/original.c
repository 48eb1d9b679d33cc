/* Stands for an original library that is not on this machine. */
const char *mysql_get_client_info(void) { return WHO; }
unsigned long mysql_get_client_version(void) { return 1; }
