#!/bin/sh
# mysql_config.sh LIBDIR INCLUDEDIR PLUGINDIR: prints the mysql_config of an installation with these folders.
#
# `make install` puts what this prints where build systems look for a program of that name. It answers the options of
# libmysqlclient's mysql_config and of mariadb_config, in their form: one line per option, in the order of the options;
# with none, or one it does not know, the list of options and exit code 1. Version, port and socket are those of
# include/mysql_version.h, so that a build which asks for the version sees what the headers say.
set -eu
if [ $# -ne 3 ]; then
    echo "usage: $0 LIBDIR INCLUDEDIR PLUGINDIR" >&2
    exit 2
fi
header=$(cd "$(dirname "$0")" && pwd)/../../../include/mysql_version.h
said() { sed -n "s/^#define $1 \"\{0,1\}\([^\"]*\)\"\{0,1\}\$/\1/p" "$header"; }
cat <<END
#!/bin/sh
# mysqlclient-ms, MIT or Apache-2.0. Tells a build how to compile and link with mysqlclient-ms.
libdir='$1'
pkgincludedir='$2'
plugindir='$3'
version='$(said MYSQL_SERVER_VERSION)'
socket='$(said MYSQL_UNIX_ADDR)'
port='$(said MYSQL_PORT_DEFAULT)'
END
cat <<'END'
pkglibdir=$libdir/mysqlclient-ms/link
include="-I$pkgincludedir"
libs="-L$pkglibdir -lmysqlclient -L$libdir -lmysqlclient_ms"

usage() {
    cat <<TEXT
Usage: $0 [OPTIONS]
Options:
        --cflags         [$include]
        --cxxflags       [$include]
        --include        [$include]
        --libs           [$libs]
        --libs_r         [$libs]
        --libs_sys       []
        --plugindir      [$plugindir]
        --socket         [$socket]
        --port           [$port]
        --version        [$version]
        --variable=VAR   VAR is one of:
                pkgincludedir [$pkgincludedir]
                pkglibdir     [$pkglibdir]
                plugindir     [$plugindir]
TEXT
    exit 1
}

[ $# -gt 0 ] || usage
for option in "$@"; do
    case $option in
        --cflags | --cxxflags | --include) echo "$include" ;;
        --libs | --libs_r) echo "$libs" ;;
        --libs_sys) echo ;;
        --plugindir | --variable=plugindir | --variable=pkgplugindir) echo "$plugindir" ;;
        --socket) echo "$socket" ;;
        --port) echo "$port" ;;
        --version) echo "$version" ;;
        --variable=pkgincludedir) echo "$pkgincludedir" ;;
        --variable=pkglibdir) echo "$pkglibdir" ;;
        *) usage ;;
    esac
done
END
