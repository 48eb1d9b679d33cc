# Turns exports.list into assembler and version scripts. Run with -v what=... -v file=... -v arch=...:
#   what=asm  file=SONAME   the small library of that soname
#   what=map  file=SONAME   its version script
#   what=asm|map file=link-mysql|link-mariadb   the same for a link-time stub
#   what=nodes              the library's own version script (for relink.sh)
BEGIN {
    full["18"] = "libmysqlclient_18"; full["c18"] = "libmariadbclient_18"; full["3"] = "libmariadb_3"
    full["3.3.5"] = "libmariadb_3_3_5"; full["21"] = "libmysqlclient_21.0"; full["24"] = "libmysqlclient_24.0"
    full["ms"] = "mysqlclient_ms_1"
    # The same order as NODES in list.rs.
    order = "18 c18 3 3.3.5 21 24 ms"
    if (file == "libmariadb.so.3" || file == "link-mariadb") { mine = "18 c18 3 3.3.5" }
    else if (file == "libmysqlclient.so.21") { mine = "21" }
    else if (file == "libmysqlclient.so.24" || file == "link-mysql") { mine = "24" }
    n = split(mine, m, " "); for (i = 1; i <= n; i++) is_mine[m[i]] = 1
    link = file ~ /^link-/
    if (link) is_mine["ms"] = 1
}
/^#/ || NF < 8 || $7 == "version" { next }
{
    name = $1; has = ""; first = ""
    split($2 "," $4, nodes, ",")
    for (i in nodes) if (nodes[i] in is_mine) has = has " " nodes[i]
    # The family's default is the first node of its column (of libmysqlclient: its own node).
    family = (file ~ /mariadb/) ? $4 : $2
    if (has != "") { split(family, f, ","); first = (file ~ /mariadb/ || f[1] == "ms") ? f[1] : m[1] }
    own = ($2 == "ms")

    if (link) {
        if (has == "") next
        # In the default node only: nobody links to an older one.
        by[first] = by[first] " " name ";"
        if (what == "asm") {
            print ".globl " name
            if ($7 == "data") {
                print ".type " name ",@object"; print ".size " name ", " $8
                print ".data"; print name ":"; print ".zero " $8
            } else {
                print ".type " name ",@function"; print ".text"; print name ":"; print "ret"; print ".size " name ", 1"
            }
        }
        next
    }
    if (own) next
    if (has == "") {
        # Another ABI's name: dlsym shall answer NULL.
        default_names = default_names " " name ";"
        if (what == "asm") { print ".globl " name; print ".set " name ", 0" }
    } else if (file == "libmariadb.so.3" && $2 != "-" && $7 != "data") {
        default_names = default_names " " name ";"
        if (what == "asm") {
            target = "mysqlclient_ms_ref_" name
            print ".symver " target ", " name "@" full[first]
            print ".globl " name; print ".type " name ",@function"; print ".text"; print name ":"
            if (arch == "aarch64") {
                print "adrp x16, :got:" target; print "ldr x16, [x16, :got_lo12:" target "]"; print "br x16"
            } else {
                print "jmp *" target "@GOTPCREL(%rip)"
            }
            print ".size " name ", . - " name
        }
    }
}
END {
    if (what == "asm") { print ".section .note.GNU-stack,\"\",%progbits"; exit }
    if (what == "nodes") {
        n = split(order, o, " ")
        for (i = 1; i <= n; i++) print full[o[i]] " {" (o[i] == "ms" ? " global: mysqlnd_ms_*; mysqlclient_ms_1; local: *; " : "") "};"
        exit
    }
    n = split(mine (link ? " ms" : ""), o, " ")
    for (i = 1; i <= n; i++)
        print full[o[i]] " {" (by[o[i]] != "" ? " global:" by[o[i]] : "") (o[i] == "ms" ? " local: *;" : "") " };"
    if (!link) print "mysqlclient_ms_default {" (default_names != "" ? " global:" default_names : "") " local: *; };"
}
