/* mysqlclient-ms, MIT or Apache-2.0.
   LIST, which is in mysql.h. */
#ifndef MYSQLCLIENT_MS_MY_LIST_H
#define MYSQLCLIENT_MS_MY_LIST_H

#include "mysql.h"

#endif
