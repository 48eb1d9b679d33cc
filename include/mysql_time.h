/* mysqlclient-ms, MIT or Apache-2.0.
   MYSQL_TIME, in which dates and times are bound. */
#ifndef MYSQLCLIENT_MS_MYSQL_TIME_H
#define MYSQLCLIENT_MS_MYSQL_TIME_H

#include <stdbool.h>

enum enum_mysql_timestamp_type {
  MYSQL_TIMESTAMP_NONE = -2,
  MYSQL_TIMESTAMP_ERROR = -1,
  MYSQL_TIMESTAMP_DATE = 0,
  MYSQL_TIMESTAMP_DATETIME = 1,
  MYSQL_TIMESTAMP_TIME = 2,
  MYSQL_TIMESTAMP_DATETIME_TZ = 3
};

/* A date, a time or both; time_zone_displacement is in seconds. */
typedef struct MYSQL_TIME {
  unsigned int year;
  unsigned int month;
  unsigned int day;
  unsigned int hour;
  unsigned int minute;
  unsigned int second;
  unsigned long second_part;
  bool neg;
  enum enum_mysql_timestamp_type time_type;
  int time_zone_displacement;
} MYSQL_TIME;

#endif
