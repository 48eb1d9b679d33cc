/* mysqlclient-ms, MIT or Apache-2.0.
   The version of libmysqlclient whose interface mysql.h shows. */
#ifndef MYSQLCLIENT_MS_MYSQL_VERSION_H
#define MYSQLCLIENT_MS_MYSQL_VERSION_H

#define LIBMYSQL_VERSION "9.7.4"
#define MYSQL_BASE_VERSION "mysqld-9.7"
#define MYSQL_SERVER_VERSION "9.7.4"
#define MYSQL_SERVER_VERSION_WITH_UPDATE "9.7.4.0"
#define MYSQL_VERSION_MATURITY "LTS"
#define MYSQL_VERSION_MATURITY_IS_LTS 1
#define PROTOCOL_VERSION 10
#define MYSQL_TAGGED_GTIDS_VERSION_SUPPORT 80300
#define LIBMYSQL_VERSION_ID 90704
#define MYSQL_VERSION_ID 90704
#define MYSQL_CONFIG_NAME "my"
#define MYSQL_PERSIST_CONFIG_NAME "mysqld-auto"
#define MYSQL_PORT_DEFAULT 0
#define MYSQL_UNIX_ADDR "/var/run/mysqld/mysqld.sock"
#define MYSQL_PORT 3306
#define MYSQL_ADMIN_PORT 33062
#define MYSQL_COMPILATION_COMMENT "mysqlclient-ms"

#endif
