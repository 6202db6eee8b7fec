#!/usr/bin/env bash
# Prints a user-data file for cloud-init, which sets up a Pi on its first boot. It contains the program.
set -euo pipefail

usage() {
    cat <<EOF
usage: systemd/user-data.sh [--board NAME] [--hostname NAME] >user-data

Prints a file for the cloud-init of Raspberry Pi OS (trixie). Copied to the card's bootfs drive as
user-data, it makes the Pi install pochboard on its first boot, and restart into it. The Pi has to be
online for that; if it is not, it tries again until it is.

  --board NAME     the board: gpio, pico or simulator (default: gpio)
  --hostname NAME  the name of the machine (default: pochboard)
  --help           show this help
EOF
}

board=gpio hostname=pochboard
while [ $# -gt 0 ]; do
    case $1 in
    --board | --hostname)
        [ $# -gt 1 ] || {
            usage >&2
            exit 2
        }
        set -- "$1=$2" "${@:3}"
        continue
        ;;
    --board=gpio | --board=pico | --board=simulator) board=${1#*=} ;;
    --hostname=*[!a-zA-Z0-9-]* | --hostname=) usage >&2 && exit 2 ;;
    --hostname=*) hostname=${1#*=} ;;
    --help | -h)
        usage
        exit 0
        ;;
    *)
        usage >&2
        exit 2
        ;;
    esac
    shift
done

cd "$(dirname "${BASH_SOURCE[0]}")/.."
cat <<EOF
#cloud-config
# Sets up a Raspberry Pi with Raspberry Pi OS (trixie) as a pochboard: copy this file to the drive bootfs of the card,
# as user-data. systemd/README.md says how. Made by systemd/user-data.sh.
hostname: $hostname
manage_etc_hosts: localhost
# To log in, too, remove the # of these lines, and choose a password:
#users:
#  - name: poch
#    groups: [adm, sudo]
#    shell: /bin/bash
#    sudo: ALL=(ALL) NOPASSWD:ALL
#    lock_passwd: false
#    plain_text_passwd: choose-one
#enable_ssh: true
#ssh_pwauth: true
write_files:
  - path: /etc/systemd/system/pochboard-first-boot.service
    content: |
      [Unit]
      Description=Installs pochboard on the first boot
      After=cloud-final.service network.target
      ConditionPathExists=/var/lib/pochboard-first-boot/run

      [Service]
      # Without a network it fails, and cloud-init tries it again.
      Type=oneshot
      Environment=HOME=/root
      ExecStart=/bin/bash /var/lib/pochboard-first-boot/run
      Restart=on-failure
      RestartSec=30
      TimeoutStartSec=infinity

      [Install]
      WantedBy=multi-user.target
  - path: /var/lib/pochboard-first-boot/run
    content: |
      set -eu
      cd /var/lib/pochboard-first-boot
      apt-get update -qq || true
      rm -rf source
      mkdir source
      tar --extract --gzip --file program.tar.gz --directory source
      source/systemd/install.sh --board $board --no-start
      systemctl disable pochboard-first-boot.service
      cd /
      rm -rf /var/lib/pochboard-first-boot /etc/systemd/system/pochboard-first-boot.service
      # The lines of config.txt take effect when the Pi starts.
      systemctl --no-block reboot
  - path: /var/lib/pochboard-first-boot/program.tar.gz
    encoding: b64
    content: |
EOF
tar --create --gzip --sort=name --owner=0 --group=0 --numeric-owner --exclude=__pycache__ \
    pyproject.toml constraints/run.txt constraints/gpio.txt constraints/pico.txt README.md CHANGELOG.md LICENSE \
    pochboard firmware hardware/pins.toml hardware/face.toml web/templates web/static systemd |
    base64 | sed 's/^/      /'
cat <<EOF
runcmd:
  - [systemctl, daemon-reload]
  - [systemctl, enable, --now, --no-block, pochboard-first-boot.service]
EOF
