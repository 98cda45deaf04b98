/** CNI plugins: those of Debian, and one for taps, which Debian has not. */

/** Folder of the package `containernetworking-plugins`. */
export const pluginFolder = "/usr/lib/cni";

/**
 * A plugin that does what `tc-redirect-tap` does: makes a tap in the namespace, sends all packets of the interface to
 * it and back, and reports an interface of the machine with the address of the card.
 */
export const redirectTap = `#!/bin/bash
set -euo pipefail
input=$(cat); ns="nsenter --net=$CNI_NETNS"
[ "$CNI_COMMAND" = ADD ] || { $ns ip link delete tap0 2>/dev/null || true; exit 0; }
mac=$($ns ip -o link show "$CNI_IFNAME" | sed 's/.*link.ether \\([^ ]*\\).*/\\1/')
$ns ip tuntap add tap0 mode tap
$ns ip link set tap0 mtu "$($ns ip -o link show "$CNI_IFNAME" | sed 's/.* mtu \\([0-9]*\\).*/\\1/')" up
for pair in "$CNI_IFNAME tap0" "tap0 $CNI_IFNAME"; do
  set -- $pair
  $ns tc qdisc add dev "$1" ingress
  $ns tc filter add dev "$1" parent ffff: protocol all u32 match u32 0 0 action mirred egress redirect dev "$2"
done
added='{"name":"tap0","sandbox":"'$CNI_NETNS'"},{"name":"tap0","mac":"'$mac'","sandbox":"'$CNI_CONTAINERID'"}'
echo "$input" | tr -d '\\n' | sed 's/.*"prevResult"://; s/"interfaces":\\[/&'"\${added//\\//\\\\/}"',/; s/}$//'
`;

/** Puts all plugins that a network needs into a folder. */
export async function writePlugins(folder: string): Promise<void> {
  await Deno.mkdir(folder, { recursive: true });
  for (const name of ["bridge", "firewall", "static"]) {
    await Deno.copyFile(`${pluginFolder}/${name}`, `${folder}/${name}`);
  }
  await Deno.writeTextFile(`${folder}/tc-redirect-tap`, redirectTap, {
    mode: 0o755,
  });
}
