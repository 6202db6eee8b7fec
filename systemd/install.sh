#!/usr/bin/env bash
# Installs pochboard as a service of this machine, or updates it.
set -euo pipefail

prefix=/opt/pochboard
user=pochboard
unit=pochboard.service
backup_units="pochboard-backup.service pochboard-backup.timer"
rules=70-pochboard.rules
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

usage() {
    cat <<EOF
usage: sudo systemd/install.sh [--board NAME] [--no-start]

Installs pochboard from this folder as a service that starts at boot:
  - a user "$user" that cannot log in, in the groups that may use the board's devices
  - the program in $prefix, with its pinned packages in $prefix/.venv
  - the unit in /etc/systemd/system, enabled and started, and a timer for a daily backup
  - a rule in /etc/udev/rules.d that keeps ModemManager away from a board on USB

To update, run it again after updating this folder. The ledger in /var/lib/pochboard and
the configuration in /etc/pochboard are kept.

  --board NAME install the packages for this board: gpio or pico. The default is the board
               in /etc/pochboard/config.toml
  --no-start   install and enable the service, but do not start or restart it
  --help       show this help
EOF
}

fail() {
    echo "install.sh: $*" >&2
    exit 1
}

start=yes
board=
while [ $# -gt 0 ]; do
    case $1 in
    --help | -h)
        usage
        exit 0
        ;;
    --no-start) start= ;;
    --board)
        [ $# -gt 1 ] || {
            usage >&2
            exit 2
        }
        shift
        board=$1
        ;;
    --board=*) board=${1#*=} ;;
    *)
        usage >&2
        exit 2
        ;;
    esac
    shift
done
case $board in
"" | simulator | gpio | pico) ;;
*)
    echo "install.sh: unknown board $board; choose simulator, gpio or pico" >&2
    exit 2
    ;;
esac

[ "$(id -u)" -eq 0 ] || fail "must be run as root: sudo systemd/install.sh"
command -v systemctl >/dev/null || fail "this machine has no systemd"
# Prefer the system's own Python: the service's user may not be able to read another one.
base=/usr/bin/python3
[ -x "$base" ] || base=python3
"$base" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
    fail "Python 3.11 or newer is needed: sudo apt install python3"
"$base" -c 'import venv, ensurepip' 2>/dev/null ||
    fail "Python's venv module is needed: sudo apt install python3-venv"

# Without --board, use the configured one.
configured='import tomllib; print(tomllib.load(open("/etc/pochboard/config.toml", "rb")).get("board", ""))'
[ -n "$board" ] || board=$("$base" -c "$configured" 2>/dev/null || true)
case $board in
gpio | pico) list=constraints-$board.txt ;;
*) list=constraints-run.txt ;;
esac

if ! getent passwd "$user" >/dev/null; then
    echo "Creating the user $user …"
    useradd --system --user-group --no-create-home --home-dir /var/lib/pochboard \
        --shell /usr/sbin/nologin "$user"
fi
for group in gpio spi dialout; do
    if getent group "$group" >/dev/null; then usermod --append --groups "$group" "$user"; fi
done

echo "Copying the program to $prefix …"
install -d -m 0755 "$prefix"
rm -rf "$prefix/src.new"
install -d -m 0755 "$prefix/src.new/web" "$prefix/src.new/systemd" "$prefix/src.new/hardware"
for name in pyproject.toml "$list" README.md CHANGELOG.md LICENSE pochboard firmware; do
    cp -R "$here/$name" "$prefix/src.new/"
done
cp "$here/hardware/pins.toml" "$prefix/src.new/hardware/"
cp -R "$here/web/templates" "$here/web/static" "$prefix/src.new/web/"
cp "$here/systemd/README.md" "$prefix/src.new/systemd/"
find "$prefix/src.new" -name __pycache__ -type d -prune -exec rm -rf {} +
chown -R root:root "$prefix/src.new"
chmod -R u=rwX,go=rX "$prefix/src.new"
rm -rf "$prefix/src"
mv "$prefix/src.new" "$prefix/src"

echo "Setting up Python packages …"
python=$prefix/.venv/bin/python
if ! "$python" -m pip --version >/dev/null 2>&1; then
    rm -rf "$prefix/.venv"
    "$base" -m venv "$prefix/.venv"
fi
pip() { (umask 022 && "$python" -m pip --no-input --disable-pip-version-check "$@"); }
pip install --quiet --require-hashes --requirement "$prefix/src/$list" || {
    # Some versions of Python have no wheels for all packages, which are then compiled.
    if [ "$board" = gpio ]; then
        fail "the packages could not be installed; see above. If a build tool is missing:" \
            "sudo apt install build-essential python3-dev swig liblgpio-dev"
    fi
    fail "the packages could not be installed; see above"
}
pip install --quiet --no-deps --no-build-isolation --force-reinstall "$prefix/src"
"$prefix/.venv/bin/pochboard" --help >/dev/null || fail "the program does not start; see above"

echo "Installing the units …"
for name in "$unit" $backup_units; do
    install -m 0644 "$here/systemd/$name" "/etc/systemd/system/$name"
done
if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
install -D -m 0644 "$here/systemd/$rules" "/etc/udev/rules.d/$rules"
if [ -S /run/udev/control ]; then udevadm control --reload; fi
systemctl enable --quiet "$unit" pochboard-backup.timer

# --board does not write the configuration, and the default is the simulated board.
shown=$("$base" -c "$configured" 2>/dev/null || true)
case ${shown:-simulator} in
simulator)
    cat <<EOF
The configured board is the simulated one, which is drawn on the page. Other machines can only
watch until a phone is paired. For a real board, write for example:
  echo 'board = "gpio"' | sudo tee /etc/pochboard/config.toml    # or "pico"
and restart the service: sudo systemctl restart pochboard
EOF
    ;;
*) echo "The configured board is $shown, by /etc/pochboard/config.toml." ;;
esac

if [ -z "$start" ] || [ ! -d /run/systemd/system ]; then
    echo "Installed. It starts at boot, or now with: sudo systemctl start pochboard"
    exit 0
fi
systemctl restart "$unit" pochboard-backup.timer
echo "Installed and started. The address for the phones: journalctl -u pochboard -n 40"
