# Packages of any Debian suite without installing them: sourced by bash scripts that have a function `fail MESSAGE`.
# Nothing of the system is touched; what apt has to know is in a folder of the caller's.

# The mirror of this machine: of its sources (both notations) the first that serves neither security updates
# nor something other than Debian.
mirror() {
  local uris
  uris=$( { cat /etc/apt/sources.list.d/*.sources 2>/dev/null | awk 'tolower($1) == "uris:" { for (i = 2; i <= NF; i++) print $i }'
            cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
              awk '$1 == "deb" { for (i = 2; i <= NF; i++) if ($i ~ /:\//) { print $i; next } }'; } | grep -v security || true)
  { grep -E '/debian/?$' <<<"$uris" || echo "$uris"; } | head -n 1
}

# private_apt FOLDER SUITE: from here on apt takes FOLDER for the whole system, with SUITE of Debian as its only source and
# nothing installed. `unset APT_CONFIG` ends that.
private_apt() {
  local uri keyring work=$1 suite=$2
  uri=$(mirror)
  [ -n "$uri" ] || fail "this machine's apt sources name no Debian mirror"
  keyring=$(ls /usr/share/keyrings/debian-archive-keyring.{gpg,pgp} 2>/dev/null | head -n 1 || true)
  [ -n "$keyring" ] || fail "needs Debian's keyring (package debian-archive-keyring)"
  mkdir -p "$work"/apt/etc/{apt.conf.d,preferences.d,trusted.gpg.d,sources.list.d} "$work"/apt/state/lists/partial "$work"/apt/cache/archives/partial
  : >"$work/apt/status"
  echo "deb [arch=amd64 signed-by=$keyring] $uri $suite main" >"$work/apt/etc/sources.list"
  { apt-config dump | grep -E '^Acquire::[^ ]*(Proxy|Verify|CaInfo|SslCert)' || true    # how this machine reaches the mirror
    cat <<END
Dir::Etc "$work/apt/etc";
Dir::Etc::netrc "/etc/apt/auth.conf";
Dir::Etc::netrcparts "/etc/apt/auth.conf.d";
Dir::State "$work/apt/state";
Dir::State::status "$work/apt/status";
Dir::Cache "$work/apt/cache";
Acquire::Languages "none";
Acquire::Retries "3";
Acquire::http::Timeout "60";
Acquire::Check-Valid-Until "false"; // a mirror that lags or a clock that is ahead: the signature still has to be right
Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled "false";
Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
APT::Architecture "amd64";
APT::Architectures { "amd64"; };
APT::Install-Recommends "false";
APT::Sandbox::User "root";
END
  } >"$work/apt.conf"
  export APT_CONFIG=$work/apt.conf
}
