/**
 * A kernel and a first file system with which virtual machines play nodes; without `talos.config` among its arguments,
 * nodes wait for a configuration, and with `bare` it ends at once.
 *
 * @module
 */

/** Makes `vmlinuz` and `initramfs` in the folder $1 out of the runtime $2 and `stand_in.js` in the folder. */
export const nodeImage = `set -euo pipefail
cd "$1"
package=$(apt-cache depends linux-image-amd64 | awk '/Depends: linux-image/ { print $2; exit }')
apt-get download -qq "$package" 2>/dev/null; dpkg-deb -x linux-image*.deb kernel
cp kernel/boot/vmlinuz-* vmlinuz
mkdir -p root/bin root/lib root/lib64 root/proc root/sys root/dev root/tmp root/etc root/root root/modules
mkdir home root/node; cp "$2" root/node/deno; cp stand_in.js root/node
cp "$(command -v busybox)" root/bin/busybox
for name in sh mount mkdir insmod ip udhcpc wget sed base64 tr cat grep halt hostname; do ln -s busybox "root/bin/$name"; done
for file in root/bin/busybox root/node/deno; do
  { ldd "$file" || true; } | grep -o '/lib[^ ]*' | while read -r library; do
    mkdir -p "root$(dirname "$library")"; cp -nL "$library" "root$library"
  done
done
for name in virtio_ring virtio virtio_pci_modern_dev virtio_pci_legacy_dev virtio_pci failover net_failover virtio_net; do
  find kernel -name "$name.ko" -exec cp {} root/modules/ \\;
done
cat >root/dhcp <<'END'
#!/bin/sh
[ "$1" = bound ] || exit 0
ip addr replace "$ip/$mask" dev "$interface"; ip link set "$interface" mtu "$mtu"
ip route replace default via "$router"; hostname "$hostname"
echo "node: $ip $hostname $mtu"
END
cat >root/init <<'END'
#!/bin/sh
export PATH=/bin HOME=/root DENO_DIR=/node/cache DENO_NO_UPDATE_CHECK=1
mount -t proc proc /proc; /bin/busybox grep -q bare /proc/cmdline && echo "node: bare" && /bin/busybox reboot -f; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev
mkdir -p /dev/shm; mount -t tmpfs shm /dev/shm; mount -t tmpfs tmp /tmp
for name in virtio_ring virtio virtio_pci_modern_dev virtio_pci_legacy_dev virtio_pci failover net_failover virtio_net; do insmod /modules/$name.ko; done
ip link set lo up; ip link set eth0 up
udhcpc -i eth0 -q -n -t 20 -T 1 -O mtu -O hostname -s /dhcp
[ -c /dev/tpm0 ] && echo "node: TPM $(cat /sys/class/tpm/tpm0/tpm_version_major), $(tr -d '0\\n' </sys/class/tpm/tpm0/pcr-sha256/0 | grep -q . && echo measured)"
configuration=$(sed -n 's/.*talos.config=\\([^ ]*\\).*/\\1/p' /proc/cmdline)
if [ -n "$configuration" ]; then
  wget -q -O /tmp/configuration "$configuration" && echo "node: configuration"
  export USERDATA=$(base64 /tmp/configuration | tr -d '\\n')
fi
/node/deno run --allow-all /node/stand_in.js
halt -f
END
chmod +x root/init root/dhcp
(cd root && find . | cpio -o -H newc --quiet | gzip -1 >../initramfs)`;
