/* mysqlclient-ms, MIT or Apache-2.0.
   The commands of the protocol, which are in mysql_com.h. */
#ifndef MYSQLCLIENT_MS_MY_COMMAND_H
#define MYSQLCLIENT_MS_MY_COMMAND_H

#include "mysql_com.h"

#endif
