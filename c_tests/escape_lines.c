/* Escapes what tests/escape.rs sends: lines of "CHARSET MODE HEX" (HEX "." = nothing), answered by the result in hex.
   MODE: s mysql_real_escape_string; q the same with NO_BACKSLASH_ESCAPES; ` mysql_real_escape_string_quote.
   No connection is needed: only the handle's character set and status are looked at. */
#include <mysql.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char line[1 << 20], hex[1 << 20], to[1 << 20];
static unsigned char from[1 << 19];

static int set(MYSQL *mysql, const char *charset)
{
#ifdef MARIADB_BASE_VERSION
    const MARIADB_CHARSET_INFO *info = mariadb_get_charset_by_name(charset);
    mysql->charset = info;
    return info == NULL;
#else
    return mysql_set_character_set(mysql, charset);
#endif
}

int main(void)
{
    char charset[64], present[64] = "", mode;
    MYSQL *mysql = mysql_init(NULL);
    while (fgets(line, sizeof line, stdin)) {
        unsigned long length = 0, result;
        if (sscanf(line, "%63s %c %1048000s", charset, &mode, hex) != 3)
            return 2;
        if (strcmp(charset, present) != 0) {
            if (set(mysql, charset))
                return 3;
            strcpy(present, charset);
        }
        for (const char *at = hex; at[0] != '.' && at[0] != '\0'; at += 2) {
            unsigned byte;
            if (sscanf(at, "%2x", &byte) != 1)
                return 4;
            from[length++] = (unsigned char)byte;
        }
        from[length] = 0;
#ifdef MARIADB_BASE_VERSION
        mysql->server_status = mode == 'q' ? SERVER_STATUS_NO_BACKSLASH_ESCAPES : 0;
        result = mysql_real_escape_string(mysql, to, (const char *)from, length);
#else
        result = mode == '`' ? mysql_real_escape_string_quote(mysql, to, (const char *)from, length, '`')
                             : mysql_real_escape_string(mysql, to, (const char *)from, length);
#endif
        if (result == (unsigned long)-1 || to[result] != 0)
            return 5;
        for (unsigned long at = 0; at < result; at++)
            printf("%02x", (unsigned char)to[at]);
        puts(result == 0 ? "." : "");
    }
    mysql_close(mysql);
    return 0;
}
