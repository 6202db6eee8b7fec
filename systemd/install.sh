#!/usr/bin/env bash
# Installs pochboard as a service of this machine, updates it, or removes it.
set -euo pipefail

prefix=/opt/pochboard
user=pochboard
wifi_user=pochboard-wifi
unit=pochboard.service
backup_units="pochboard-backup.service pochboard-backup.timer"
wifi_unit=pochboard-wifi.service
portal_units="pochboard-portal.socket pochboard-portal.service"
dnsmasq_conf=etc/NetworkManager/dnsmasq-shared.d/pochboard.conf
rules=70-pochboard.rules
pio_rules=70-pochboard-pio.rules
polkit_rules=50-pochboard-wifi.rules
begin="# pochboard: begin (written by systemd/install.sh)"
end="# pochboard: end"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

usage() {
    cat <<EOF
usage: sudo systemd/install.sh [--board NAME] [--root DIR] [--hostname NAME] [--no-start] [--no-packages]
       sudo systemd/install.sh --uninstall [--purge] [--root DIR]

Installs pochboard from this folder as a service that starts at boot:
  - a user "$user" that cannot log in, in the groups that may use the board's devices
  - the program in $prefix, with its pinned packages in $prefix/.venv, and the command pochboard
  - the unit in /etc/systemd/system, enabled and started, and a timer for a daily backup
  - rules in /etc/udev/rules.d for the board's devices
  - with NetworkManager: a service that opens a Wi-Fi of its own where no known one is found, and on a
    Pi another that leads phones there to the page
and on a Raspberry Pi:
  - the lines of config.txt that the board needs
  - the name pochboard.local

Run it again at any time: it changes only what differs. To update, run it after updating this
folder. The ledger in /var/lib/pochboard and the configuration in /etc/pochboard are kept.

  --board NAME     the board: gpio, pico or simulator. Written to /etc/pochboard/config.toml, unless
                   a board is set there
  --root DIR       install into the system in this folder, such as the mounted card of a Pi. This
                   machine must be able to run its programs
  --hostname NAME  the name of the machine. By default a machine called raspberrypi is renamed
                   pochboard, and any other keeps its name
  --no-start       install and enable the service, but do not start or restart it
  --no-packages    do not install missing Debian packages
  --uninstall      remove all that this script has installed. The ledger, the configuration and the
                   user "$user" are kept
  --purge          with --uninstall: remove them too
  --help           show this help
EOF
}

fail() {
    echo "install.sh: $*" >&2
    exit 1
}

wrong_use() {
    [ $# -eq 0 ] || echo "install.sh: $*" >&2
    usage >&2
    exit 2
}

start=yes packages=yes board='' root='' hostname='' uninstall='' purge=''
while [ $# -gt 0 ]; do
    case $1 in
    --board | --root | --hostname)
        [ $# -gt 1 ] || wrong_use
        set -- "$1=$2" "${@:3}"
        continue
        ;;
    --board=*) board=${1#*=} ;;
    --root=*) root=${1#*=} ;;
    --hostname=*) hostname=${1#*=} ;;
    --no-start) start= ;;
    --no-packages) packages= ;;
    --uninstall) uninstall=yes ;;
    --purge) purge=yes ;;
    --help | -h)
        usage
        exit 0
        ;;
    *) wrong_use ;;
    esac
    shift
done
case $board in
"" | simulator | gpio | pico) ;;
*) wrong_use "unknown board $board; choose simulator, gpio or pico" ;;
esac
case $hostname in
*[!a-zA-Z0-9-]* | -*) wrong_use "a host name has letters, digits and hyphens" ;;
esac
[ -z "$purge" ] || [ -n "$uninstall" ] || wrong_use "--purge is for --uninstall"

[ "$(id -u)" -eq 0 ] || fail "must be run as root: sudo systemd/install.sh"
if [ -n "$root" ]; then
    [ -d "$root/etc" ] || fail "$root does not hold a system"
    root=$(cd "$root" && pwd)
    [ "$root" != / ] || root=
fi

# Runs a program of the target system.
within() {
    if [ -n "$root" ]; then chroot "$root" "$@"; else "$@"; fi
}

# Whether the target system has a program.
has() {
    local folder
    for folder in usr/bin usr/sbin bin sbin; do
        [ ! -x "$root/$folder/$1" ] || return 0
    done
    return 1
}

# Whether the target system is the one that is running.
running() { [ -z "$root" ] && [ -d /run/systemd/system ]; }

# Writes the output of a command to a file, whole or not at all. Fails if the file has these contents already.
replace() {
    local file=$1
    shift
    "$@" >"$file.new" || {
        rm -f "$file.new"
        fail "$file is unchanged, because its new contents could not be made"
    }
    if cmp -s "$file.new" "$file"; then
        rm "$file.new"
        return 1
    fi
    if [ -e "$file" ]; then chmod --reference="$file" "$file.new" 2>/dev/null || true; fi
    mv "$file.new" "$file"
}

config_txt=
for file in "$root/boot/config.txt" "$root/boot/firmware/config.txt"; do
    if [ -s "$file" ]; then config_txt=$file; fi
done

# The boot configuration of a Pi. A section applies to the model that it names.
board_lines() {
    case $board in
    gpio)
        cat <<EOF
$begin
# GPIO 10 drives the pixels over SPI, whose clock must not change. One chip select leaves GPIO 7 to
# the piezo.
[all]
dtparam=spi=on
dtoverlay=spi0-1cs
[pi3]
core_freq=250
[pi02]
core_freq=250
[pi4]
core_freq=500
core_freq_min=500
[all]
EOF
        if [ -n "$i2c_bus" ]; then
            echo "# The display is on the pins of the UART, because I2C1 has those of two buttons."
            echo "dtoverlay=i2c-gpio,bus=$i2c_bus,i2c_gpio_sda=14,i2c_gpio_scl=15"
        fi
        echo "$end"
        ;;
    pico)
        cat <<EOF
$begin
# A button between GPIO 3 and ground shuts the Pi down, and wakes it again.
[all]
dtoverlay=gpio-shutdown
$end
EOF
        ;;
    esac
}

# config.txt without what this script has written to it. Other editors may have ended its lines with CR LF. If a mark
# is missing, only the lines at the other mark go that this script writes.
without_block() {
    OURS=$(board=gpio i2c_bus=0 board_lines && board=pico board_lines) awk -v begin="$begin" -v end="$end" '
        function plain(line) {
            sub(/[ \t\r]+$/, "", line)
            gsub(/bus=[0-9]+/, "bus=0", line)
            return line
        }
        # The lines after it may need a section such as [all].
        function drop(number) { if (lines[number] !~ /^\[/) gone[number] = 1 }
        BEGIN {
            count = split(ENVIRON["OURS"], list, "\n")
            for (i = 1; i <= count; i++) if (list[i] != begin && list[i] != end) ours[list[i]] = 1
        }
        { lines[NR] = $0 }
        END {
            for (i = 1; i <= NR; i++) {
                line = plain(lines[i])
                if (line == end && !gone[i])
                    for (j = i; j > 0 && (j == i || plain(lines[j]) in ours); j--) drop(j)
                if (line != begin) continue
                for (last = i + 1; last <= NR && plain(lines[last]) != begin && plain(lines[last]) != end; last++);
                whole = last <= NR && plain(lines[last]) == end
                if (whole) for (j = i; j <= last; j++) gone[j] = 1
                else for (j = i; j <= NR && (j == i || plain(lines[j]) in ours); j++) drop(j)
            }
            for (i = 1; i <= NR; i++) if (!gone[i]) print lines[i]
        }' "$config_txt"
}

if [ -n "$uninstall" ]; then
    echo "Removing the service …"
    now=
    if running; then now=--now; fi
    for name in $unit pochboard-backup.timer $wifi_unit pochboard-portal.socket; do
        if [ -e "$root/etc/systemd/system/$name" ]; then within systemctl disable --quiet $now "$name"; fi
        rm -f "$root/etc/systemd/system/$name"
    done
    rm -f "$root/etc/systemd/system/pochboard-backup.service" "$root/etc/systemd/system/pochboard-portal.service"
    rm -f "$root/$dnsmasq_conf"
    if running && has nmcli; then nmcli connection delete pochboard >/dev/null 2>&1 || true; fi
    rm -f "$root/etc/NetworkManager/system-connections/pochboard.nmconnection"
    rm -f "$root/etc/udev/rules.d/$rules" "$root/etc/udev/rules.d/$pio_rules"
    rm -f "$root/etc/polkit-1/rules.d/$polkit_rules" "$root/etc/avahi/services/pochboard.service"
    rm -f "$root/etc/modules-load.d/pochboard.conf"
    rm -f "$root/usr/local/bin/pochboard" "$root/var/lib/systemd/timers/stamp-pochboard-backup.timer"
    rm -rf "$root$prefix" "$root/var/lib/pochboard-wifi"
    if [ -n "$config_txt" ] && replace "$config_txt" without_block; then
        echo "Removed the board's lines from ${config_txt#"$root"}."
    fi
    if within getent passwd "$wifi_user" >/dev/null; then within userdel "$wifi_user"; fi
    if [ -n "$purge" ]; then
        rm -rf "$root/var/lib/pochboard" "$root/etc/pochboard"
        if within getent passwd "$user" >/dev/null; then within userdel "$user"; fi
    else
        echo "The ledger in /var/lib/pochboard and the configuration in /etc/pochboard are kept${DELETED_BY:+; only $DELETED_BY deletes them}."
    fi
    if running; then
        systemctl daemon-reload
        if [ -S /run/udev/control ]; then udevadm control --reload; fi
    fi
    echo "Removed."
    exit 0
fi

has systemctl || fail "this system has no systemd"
# Prefer the system's own Python: the service's user may not be able to read another one.
base=/usr/bin/python3
[ -n "$root" ] || [ -x "$base" ] || base=python3
within "$base" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
    fail "Python 3.11 or newer is needed: sudo apt install python3"

# The board, unless the configuration sets one.
settings=$root/etc/pochboard/config.toml
configured() { # a value of the configuration, by an expression of Python, or its text as UTF-8
    within "$base" -c "$(cat "$here/pochboard/text/encodings.py")
import sys, tomllib
text = written_text(sys.stdin.buffer.read())
config = tomllib.loads(text)
sys.stdout.buffer.write(str($1).encode())" <"$settings" 2>/dev/null ||
        fail "/etc/pochboard/config.toml cannot be read: it is not TOML in UTF-8 or UTF-16. Correct or remove it."
}
set_board=
if [ -s "$settings" ]; then set_board=$(configured 'config.get("board", "")'); fi
if [ -n "$board" ] && [ -z "$set_board" ]; then
    install -d -m 0755 "$root/etc/pochboard"
    # Before the first table, because it belongs to none.
    with_board() {
        echo "board = \"$board\""
        [ ! -s "$settings" ] || configured text
    }
    replace "$settings" with_board
    chmod 0644 "$settings"
    set_board=$board
elif [ -n "$board" ] && [ "$board" != "$set_board" ]; then
    echo "/etc/pochboard/config.toml has board = \"$set_board\", which is kept; edit it to change the board."
fi
board=${set_board:-simulator}
# The bus of a display on the Pi's header: 3 for /dev/i2c-3.
i2c_bus=
if [ "$board" = gpio ]; then
    i2c_bus=$(configured 'config.get("gpio", {}).get("display", "")')
    case $i2c_bus in
    /dev/i2c-*[!0-9]* | /dev/i2c-) i2c_bus= ;;
    /dev/i2c-*) i2c_bus=${i2c_bus#/dev/i2c-} ;;
    *) i2c_bus= ;;
    esac
fi
case $board in
gpio | pico) list=constraints/$board.txt ;;
*) list=constraints/run.txt ;;
esac

has_venv() { within "$base" -c 'import venv, ensurepip' 2>/dev/null; }
wanted=()
has_venv || wanted+=(python3-venv)
if [ "$board" = gpio ] && ! { has gcc && compgen -G "$root/usr/include/python3*/Python.h" >/dev/null; }; then
    # The pixel driver for a Pi 3, 4 or Zero 2 W is compiled, and on a 32-bit system some more.
    wanted+=(build-essential python3-dev)
fi
if [ -n "$config_txt" ]; then
    has avahi-daemon || wanted+=(avahi-daemon)
    # NetworkManager needs it for the Pi's own Wi-Fi, to give addresses to the phones.
    if has NetworkManager && ! has dnsmasq; then wanted+=(dnsmasq-base); fi
fi
if [ ${#wanted[@]} -gt 0 ] && [ -n "$packages" ] && has apt-get; then
    echo "Installing Debian packages: ${wanted[*]} …"
    within env DEBIAN_FRONTEND=noninteractive \
        apt-get install --yes --no-install-recommends -qq "${wanted[@]}" >/dev/null ||
        echo "install.sh: not all of them could be installed; see above. If this machine is online, try: sudo apt update" >&2
fi
has_venv || fail "Python's venv module is needed: sudo apt install python3-venv"

if ! within getent passwd "$user" >/dev/null; then
    echo "Creating the user $user …"
    within useradd --system --user-group --no-create-home --home-dir /var/lib/pochboard \
        --shell /usr/sbin/nologin "$user"
fi
for group in gpio spi i2c dialout; do
    if within getent group "$group" >/dev/null; then within usermod --append --groups "$group" "$user"; fi
done

echo "Copying the program to $prefix …"
source=$root$prefix/src
install -d -m 0755 "$root$prefix"
rm -rf "$source.new"
install -d -m 0755 "$source.new"
tar -C "$here" -c --exclude=__pycache__ pyproject.toml hatch_build.py README.md CHANGELOG.md LICENSE \
    constraints/run.txt constraints/gpio.txt constraints/pico.txt pochboard firmware systemd \
    hardware/pins.toml hardware/face.toml hardware/strokes.toml web/templates web/static |
    tar -C "$source.new" -x
chown -R root:root "$source.new"
chmod -R u=rwX,go=rX "$source.new"
rm -rf "$source"
mv "$source.new" "$source"

echo "Setting up Python packages …"
python=$prefix/.venv/bin/python
if ! within "$python" -m pip --version >/dev/null 2>&1; then
    rm -rf "$root$prefix/.venv"
    within "$base" -m venv "$prefix/.venv"
fi
pip() { (umask 022 && within "$python" -m pip --no-input --disable-pip-version-check "$@"); }
pip install --quiet --require-hashes --requirement "$prefix/src/$list" || {
    # Some versions of Python have no wheels for all packages, which are then compiled.
    if [ "$board" = gpio ]; then
        fail "the packages could not be installed; see above. If a build tool is missing:" \
            "sudo apt install build-essential python3-dev"
    fi
    fail "the packages could not be installed; see above"
}
# A clone has no compiled catalogues yet; a package and a card bring them along.
if [ ! -e "$source/pochboard/locale/de/LC_MESSAGES/pochboard.mo" ]; then
    sed -n '/^babel==/,/# via/p' "$source/constraints/run.txt" >"$source/babel.txt"
    pip install --quiet --require-hashes --requirement "$prefix/src/babel.txt"
fi
pip install --quiet --no-deps --no-build-isolation --force-reinstall "$prefix/src"
within "$prefix/.venv/bin/pochboard" --help >/dev/null || fail "the program does not start; see above"
install -D -m 0755 "$here/systemd/pochboard" "$root/usr/local/bin/pochboard"

echo "Installing the units …"
enabled=("$unit" pochboard-backup.timer)
# shellcheck disable=SC2206
units=("$unit" $backup_units)
if has NetworkManager; then
    if ! within getent passwd "$wifi_user" >/dev/null; then
        within useradd --system --gid "$user" --no-create-home --home-dir /nonexistent \
            --shell /usr/sbin/nologin "$wifi_user"
    fi
    install -D -m 0644 "$here/systemd/$polkit_rules" "$root/etc/polkit-1/rules.d/$polkit_rules"
    units+=("$wifi_unit")
    enabled+=("$wifi_unit")
    # Only on a Pi: another machine may share its internet, where names must lead to what they mean.
    if [ -n "$config_txt" ]; then
        # shellcheck disable=SC2206
        units+=($portal_units)
        enabled+=(pochboard-portal.socket)
        install -D -m 0644 "$here/systemd/pochboard-dnsmasq.conf" "$root/$dnsmasq_conf"
    fi
fi
for name in "${units[@]}"; do
    install -D -m 0644 "$here/systemd/$name" "$root/etc/systemd/system/$name"
done
install -D -m 0644 "$here/systemd/$rules" "$root/etc/udev/rules.d/$rules"
if within getent group gpio >/dev/null; then
    install -D -m 0644 "$here/systemd/$pio_rules" "$root/etc/udev/rules.d/$pio_rules"
fi
if running; then
    systemctl daemon-reload
    if [ -S /run/udev/control ]; then
        udevadm control --reload
        udevadm trigger --subsystem-match="*-pio"
    fi
fi
within systemctl enable --quiet "${enabled[@]}"

# The name of the Pi on the LAN.
old_name=$(cat "$root/etc/hostname" 2>/dev/null || true)
if [ -z "$hostname" ] && [ -n "$config_txt" ] && [ "$old_name" = raspberrypi ]; then hostname=pochboard; fi
if [ -n "$hostname" ] && [ "$hostname" != "$old_name" ]; then
    echo "Naming this machine $hostname …"
    with_name() {
        { [ ! -e "$root/etc/hosts" ] || sed '/^127\.0\.1\.1[[:space:]]/d' "$root/etc/hosts"; } &&
            printf '127.0.1.1\t%s\n' "$hostname"
    }
    replace "$root/etc/hostname" echo "$hostname"
    # It may have this name already.
    replace "$root/etc/hosts" with_name || true
    if running; then
        hostnamectl set-hostname "$hostname"
        systemctl try-restart avahi-daemon
    fi
fi
if has avahi-daemon; then
    install -D -m 0644 "$here/systemd/pochboard.avahi" "$root/etc/avahi/services/pochboard.service"
fi

restart=
if [ -n "$config_txt" ]; then
    with_block() { without_block && board_lines; }
    if replace "$config_txt" with_block; then
        echo "Changed ${config_txt#"$root"} for board = \"$board\"."
        restart=yes
    fi
fi
# Linux makes the device of the bus only if this module is loaded.
if [ -n "$i2c_bus" ]; then
    install -d -m 0755 "$root/etc/modules-load.d"
    if replace "$root/etc/modules-load.d/pochboard.conf" echo i2c-dev; then restart=yes; fi
else
    rm -f "$root/etc/modules-load.d/pochboard.conf"
fi

case $board in
simulator)
    cat <<EOF
The configured board is the simulated one, which is drawn on the page. Other machines can only
watch until a phone is paired. To use a real board, run for example:
  sudo systemd/install.sh --board gpio    # or pico
EOF
    ;;
*) echo "The configured board is $board, by /etc/pochboard/config.toml." ;;
esac

if [ -z "$start" ] || ! running; then
    echo "Installed. It starts at boot, or now with: sudo systemctl start pochboard"
    exit 0
fi
if [ -n "$restart" ] && [ "$board" = gpio ]; then
    echo "Installed. Restart the Pi, so that the pixels work: sudo reboot"
    exit 0
fi
systemctl restart "${enabled[@]}"
echo "Installed and started. The address for the phones: sudo pochboard status"
