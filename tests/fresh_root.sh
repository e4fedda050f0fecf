#!/bin/sh
# The inner half of tests/fresh.sh: the first process of new mount and process namespaces.
#   tests/fresh_root.sh ROOT root|user|bare COMMAND
# Makes ROOT the root of the mount namespace, as a booted system has it: tests mount things below.
set -eu

root=$1
as=$2
command=$3

mount --bind "$root" "$root"
cd "$root"
mount -t proc -o nosuid,nodev,noexec proc proc
mount --rbind /sys sys
mount -t tmpfs -o nosuid,mode=755 dev dev
mkdir dev/pts dev/shm
mount -t devpts -o nosuid,noexec,newinstance,ptmxmode=0666,mode=620,gid=5 devpts dev/pts
mount -t tmpfs -o nosuid,nodev,mode=1777 shm dev/shm
for name in null zero full random urandom tty; do
	mknod -m 666 "dev/$name" c $((0x$(stat -c %t "/dev/$name"))) $((0x$(stat -c %T "/dev/$name")))
done
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
for number in 0:stdin 1:stdout 2:stderr; do
	ln -s "/proc/self/fd/${number%%:*}" "dev/${number#*:}"
done
mkdir .outside
pivot_root . .outside
cd /
umount -l /.outside
rmdir /.outside

# From here on nothing of the machine outside is in reach but its kernel and its network.
names='http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY NODE_EXTRA_CA_CERTS CI'
set -- "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" LANG=C.UTF-8 TERM=dumb
for name in $names; do
	if value=$(printenv "$name"); then
		set -- "$@" "$name=$value"
	fi
done
place=/usr/src/flametrap
if [ "$as" = root ]; then
	cd "$place"
	env -i "$@" HOME=/root USER=root /bin/sh -c "$command"
	exit $?
fi
if [ "$as" = user ]; then
	{
		env -i "$@" apt-get -qq update
		env -i "$@" DEBIAN_FRONTEND=noninteractive apt-get -qq -y install \
			--no-install-recommends sudo
		rm -rf /var/lib/apt/lists/*
	} >/tmp/sudo.log 2>&1 || cat /tmp/sudo.log >&2
	rm -f /tmp/sudo.log
	echo 'user ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/user
fi
useradd --create-home --shell /bin/bash user
mv "$place" /home/user/flametrap
chown -R user:user /home/user/flametrap
cd /home/user/flametrap
env -i "$@" HOME=/home/user USER=user \
	setpriv --reuid user --regid user --init-groups /bin/sh -c "$command"
