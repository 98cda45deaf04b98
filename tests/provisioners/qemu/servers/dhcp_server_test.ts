import assert from "node:assert/strict";
import type { Lease } from "../../../../provisioners/qemu/servers/lease.ts";
import { withFolder } from "../../../_folder.ts";
import { needs, taps } from "../../../_needs.ts";
import { command } from "../_command.ts";

const lease: Lease = {
  mac: "02:00:00:00:00:02",
  hostname: "lab-worker-1",
  mtu: 1400,
  ipv4: {
    address: "10.5.0.2",
    prefix: 24,
    gateway: "10.5.0.1",
    nameservers: ["10.5.0.1", "192.0.2.53"],
  },
  ipv6: {
    address: "fd74:616c:a05::2",
    prefix: 64,
    gateway: "fd74:616c:a05::1",
    nameservers: ["fd74:616c:a05::1"],
  },
  boot: {
    server: "10.5.0.1",
    file: "ipxe/amd64/snp.efi",
    script: "http://10.5.0.1:8080/boot.ipxe",
  },
};

/** A bridge with a server in a network namespace, and machines behind it in another. */
const script = `set -e
ip link add br0 address 02:00:00:00:00:01 type bridge
ip link set lo up; ip addr add 10.5.0.1/24 dev br0; ip -6 addr add fd74:616c:a05::1/64 dev br0 nodad
ip link set br0 up
unshare -n sleep 30 & ns=$!
trap 'kill $ns $server' EXIT
until [ "$(readlink /proc/$ns/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.01; done
for i in 2 3; do
  ip link add p$i type veth peer name m$i address 02:00:00:00:00:0$i netns $ns
  ip link set p$i master br0; ip link set p$i up
  nsenter -t $ns -n sysctl -qw net.ipv6.conf.m$i.accept_dad=0
  nsenter -t $ns -n ip link set m$i up
done
mkfifo $1/ready; "$DENO" run -A --no-check --quiet "$2" "$3" 02:00:00:00:00:01 >$1/ready & server=$!
read _ <$1/ready
in="nsenter -t $ns -n"
cat >$1/print <<'END'
#!/bin/sh
[ "$1" = bound ] && echo "udhcpc $ip/$mask router=$router dns=$dns host=$hostname mtu=$mtu lease=$lease boot=$bootfile next=$tftp siaddr=$siaddr file=$boot_file"
[ "$reason" = BOUND ] && echo "dhclient $new_ip_address router=$new_routers mtu=$new_interface_mtu"
[ "$reason" = BOUND6 ] && echo "dhclient6 $new_ip6_address dns=$new_dhcp6_name_servers life=$new_max_life"
exit 0
END
chmod +x $1/print
$in udhcpc -i m2 -n -q -t 3 -T 1 -s $1/print -O mtu -O hostname -O bootfile -O tftp 2>/dev/null
$in udhcpc -i m2 -n -q -t 3 -T 1 -s $1/print -O bootfile -x 77:69505845 2>/dev/null
$in udhcpc -i m3 -n -q -t 1 -T 1 -s $1/print 2>/dev/null || echo unknown
$in dhclient -1 -4 -d -lf $1/l4 -pf $1/p4 -sf $1/print m2 2>/dev/null & c4=$!
$in dhclient -1 -6 -d -lf $1/l6 -pf $1/p6 -sf $1/print m2 2>/dev/null >$1/six & c6=$!
until [ -s $1/six ]; do sleep 0.05; kill -0 $c6; done
cat $1/six
kill $c4 $c6`;

Deno.test(
  "serveDhcp gives machines that it knows their addresses and settings",
  needs("ip", "udhcpc", "dhclient", taps),
  async () => {
    await withFolder({}, async (folder) => {
      const server = new URL("_dhcp_server.ts", import.meta.url).pathname;
      const { out, err } = await command([
        ...["timeout", "30", "env", `DENO=${Deno.execPath()}`, "unshare", "-n"],
        ...[
          "bash",
          "-c",
          script,
          "bash",
          folder,
          server,
          JSON.stringify(lease),
        ],
      ]);
      assert.deepEqual(out.split("\n").sort(), [
        "",
        "dhclient 10.5.0.2 router=10.5.0.1 mtu=1400",
        "dhclient6 fd74:616c:a05::2 dns=fd74:616c:a05::1 life=300",
        "udhcpc 10.5.0.2/24 router=10.5.0.1 dns=10.5.0.1 192.0.2.53 host=lab-worker-1 mtu= lease=300 boot=http://10.5.0.1:8080/boot.ipxe next=10.5.0.1 siaddr=10.5.0.1 file=http://10.5.0.1:8080/boot.ipxe",
        "udhcpc 10.5.0.2/24 router=10.5.0.1 dns=10.5.0.1 192.0.2.53 host=lab-worker-1 mtu=1400 lease=300 boot=ipxe/amd64/snp.efi next=10.5.0.1 siaddr=10.5.0.1 file=ipxe/amd64/snp.efi",
        "unknown",
      ], err);
    });
  },
);
