#!/bin/sh
# First process of a box: makes its file systems and becomes its systemd. It runs in namespaces of its own, so every mount below
# disappears with its last process. Arguments: folder of the box, root file system, then pairs of a folder of this machine and its
# path inside.
set -eu
folder=$1
image=$2
shift 2
root=$folder/root

mount -t overlay -o "lowerdir=$image,upperdir=$folder/changes,workdir=$folder/work" box "$root"
# Docker's layers are overlays themselves, which the kernel does not put on another one.
for name in docker containerd; do
  mkdir -p "$root/var/lib/$name"
  mount --bind "$folder/$name" "$root/var/lib/$name"
done
while [ $# -gt 0 ]; do
  mkdir -p "$root$2"
  mount --bind "$1" "$root$2"
  mount -o remount,bind,ro "$root$2"
  shift 2
done

mount -t proc proc "$root/proc"
# Settings of the kernel belong to the whole machine, except those of the network namespace.
mount --bind "$root/proc/sys" "$root/proc/sys"
mount --bind "$root/proc/sys/net" "$root/proc/sys/net"
mount -o remount,bind,ro "$root/proc/sys"
if [ -e "$root/proc/sysrq-trigger" ]; then
  mount --bind "$root/proc/sysrq-trigger" "$root/proc/sysrq-trigger"
  mount -o remount,bind,ro "$root/proc/sysrq-trigger"
fi

# The box's own cgroup is the root of every hierarchy that is mounted here.
mount -t sysfs sysfs "$root/sys"
mount -t tmpfs -o mode=755 cgroups "$root/sys/fs/cgroup"
grep ' /sys/fs/cgroup' /proc/mounts >"$folder/mounts"
while read -r _ path type options _; do
  case $type in
  cgroup | cgroup2)
    mkdir -p "$root$path"
    mount -t "$type" -o "$options" cgroup "$root$path"
    ;;
  esac
done <"$folder/mounts"

mount -t tmpfs -o mode=755 dev "$root/dev"
mkdir "$root/dev/pts" "$root/dev/shm" "$root/dev/net"
mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts "$root/dev/pts"
mount -t tmpfs -o mode=1777 shm "$root/dev/shm"
ln -s pts/ptmx "$root/dev/ptmx"
for link in fd: stdin:/0 stdout:/1 stderr:/2; do ln -s "/proc/self/fd${link#*:}" "$root/dev/${link%:*}"; done
while read -r name major minor; do
  mknod -m 666 "$root/dev/$name" c "$major" "$minor"
done <<LIST
null 1 3
zero 1 5
full 1 7
random 1 8
urandom 1 9
tty 5 0
net/tun 10 200
LIST
: >"$root/dev/console"
mount --bind "$folder/console.log" "$root/dev/console"
mount -t tmpfs -o mode=755 run "$root/run"

hostname box
cd "$root"
mkdir -p .machine
pivot_root . .machine
umount -l .machine
rmdir .machine
# systemd 257 takes version 1 of the cgroups, which the machine may have, only when told to.
exec env -i container=box ${ENGINES_RUN:+ENGINES_RUN=$ENGINES_RUN} \
  SYSTEMD_PROC_CMDLINE='SYSTEMD_CGROUP_ENABLE_LEGACY_FORCE=1 systemd.unified_cgroup_hierarchy=0' \
  PATH=/usr/sbin:/usr/bin:/sbin:/bin /sbin/init
