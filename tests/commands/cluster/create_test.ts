import assert from "node:assert/strict";
import { withFolder } from "../../_folder.ts";
import { run } from "../../_run.ts";

/** Wrong words, and what is said about them. */
const refusals: readonly (readonly [string, string])[] = [
  ["--with-tpm1_2 --with-tpm2", "Cannot use --with-tpm1_2 with --with-tpm2"],
  [
    "--endpoint 192.0.2.1 --init-node-as-endpoint",
    "Cannot use --endpoint with --init-node-as-endpoint",
  ],
  ["--iso-path a --usb-path b", "Cannot use --iso-path with --usb-path"],
  ["--iso-path a --uki-path b", "Cannot use --iso-path with --uki-path"],
  ["--usb-path a --uki-path b", "Cannot use --usb-path with --uki-path"],
  [
    "--ipxe-boot-script http://x/ --iso-path b",
    "Cannot use --ipxe-boot-script with --iso-path",
  ],
  ["--with-iommu --arch arm64", "Cannot use --with-iommu with --arch arm64"],
  [
    "--skip-injecting-config --config-injection-method metal-iso",
    "Cannot use --skip-injecting-config with --config-injection-method metal-iso",
  ],
  [
    "--with-apply-config",
    "Cannot use --with-apply-config with --skip-injecting-config=false",
  ],
  [
    "--skip-etcd-k8s",
    "Cannot use --skip-etcd-k8s with version v1.6: nodes without etcd and Kubernetes need v1.14 or later",
  ],
  [
    "--omni-api-endpoint https://omni.example.org",
    "Invalid value for --omni-api-endpoint: must be a URL with a join token, such as https://omni.example.org?jointoken=TOKEN",
  ],
  [
    "--omni-api-endpoint grpc://10.5.0.1:8090?jointoken=a --config-patch-worker {}",
    "Cannot use --omni-api-endpoint with configuration patches",
  ],
  [
    "--image-cache-tls-cert-file c.pem --image-cache-path x",
    "Flags --image-cache-tls-cert-file and --image-cache-tls-key-file are only valid together",
  ],
  [
    "--image-cache-tls-cert-file c.pem --image-cache-tls-key-file k.pem",
    "Cannot use --image-cache-tls-cert-file without --image-cache-path",
  ],
  [
    "--provisioner docker",
    "Cannot use --provisioner docker: these flags are for VMs",
  ],
  [
    "--encrypt-user-volumes",
    "Cannot use --encrypt-user-volumes without --user-volumes",
  ],
  [
    "--extra-disks-serials one",
    "Cannot use 1 --extra-disks-serials with --extra-disks 0",
  ],
  [
    "--extra-disks 1 --extra-disks-serials one --arch amd64",
    "Cannot use --extra-disks-serials one: disks with driver ide have no serial number of their own",
  ],
  [
    "--extra-disks 1 --extra-disks-tags share",
    "Cannot use --extra-disks-tags: they are for the driver virtiofs, which osctl does not have",
  ],
  [
    "--extra-disks-drivers nvme",
    "Cannot use 1 --extra-disks-drivers with --extra-disks 0",
  ],
  [
    "--extra-disks 1 --extra-disks-drivers tape",
    'Invalid value "tape" for --extra-disks-drivers: must be one of virtio, ide, ahci, scsi, nvme, megaraid',
  ],
  [
    "--with-oslink=fast",
    'Invalid value "fast" for --with-oslink: must be true or one of wireguard, tunnel, wireguard+tls, grpc-tunnel+tls',
  ],
  [
    "--with-oslink --extra-boot-kernel-args siderolink.api=x",
    "Cannot use --with-oslink with siderolink.api in --extra-boot-kernel-args",
  ],
  [
    "--cni-cache-dir a",
    "Cannot use --cni-cache-dir without --cni-bin-path or --cni-bundle-url",
  ],
  [
    "--cni-conf-dir a",
    "Cannot use --cni-conf-dir without --cni-bin-path or --cni-bundle-url",
  ],
  [
    "--cni-bundle-url plugins.tgz",
    'Invalid value "plugins.tgz" for --cni-bundle-url: must be an http or https URL',
  ],
  [
    "--disk-encryption-key-types pin",
    'Invalid value "pin" for --disk-encryption-key-types: must be one of uuid, kms, tpm',
  ],
  [
    "--disk-encryption-key-types tpm",
    "Cannot use --disk-encryption-key-types tpm without --with-tpm2",
  ],
  [
    "--disk-block-size 1000",
    'Invalid value "1000" for --disk-block-size: must be a power of two',
  ],
  [
    "--user-volumes data",
    'Invalid value "data" for --user-volumes: must be <name1>:<size1>:<name2>:<size2>',
  ],
  [
    "--with-firewall drop",
    'Invalid value "drop" for --with-firewall: must be accept or block',
  ],
  [
    "--wireguard-cidr fd00::/64",
    'Invalid value "fd00::/64" for --wireguard-cidr: must be an IPv4 subnet such as 10.6.0.0/24',
  ],
  [
    "--nameservers dns.example.org",
    'Invalid value "dns.example.org" for --nameservers: must be an IP address',
  ],
  [
    "--no-masquerade-cidrs 10.0.0.1",
    'Invalid value "10.0.0.1" for --no-masquerade-cidrs: must be a subnet such as 10.0.0.0/8',
  ],
  [
    "--with-network-latency 20ms",
    "Cannot use --with-network-latency without --with-network-chaos",
  ],
  [
    "--with-network-chaos --with-network-bandwidth 100 --with-network-packet-loss 0.1",
    "Cannot use --with-network-bandwidth with --with-network-packet-loss",
  ],
  [
    "--with-network-chaos --with-network-packet-reorder 0.1",
    "Cannot use --with-network-packet-reorder without --with-network-latency",
  ],
  [
    "--with-network-packet-loss 2",
    'Invalid value "2" for --with-network-packet-loss: must be a number from 0 to 1',
  ],
  [
    "--cpus none",
    'Invalid value "none" for --cpus: must be a number of CPUs such as 2.0 or 0.5',
  ],
  [
    "--memory 2XB",
    'Invalid value "2XB" for --memory: must be a size such as 2GiB or 2048MB; a number alone is in MiB',
  ],
  [
    "--registry-mirror docker.io",
    'Invalid value "docker.io" for --registry-mirror: must be <registry host>=<mirror URL>, such as docker.io=https://mirror.example.org',
  ],
  [
    "--kubernetes-version newest",
    'Invalid value "newest" for --kubernetes-version',
  ],
  [
    "--os-version 2.0",
    'OS version "2.0" is not known to this osctl: the newest known is v1.14',
  ],
  [
    "--cidr 10.5.0.0/30",
    'Invalid value "10.5.0.0/30" for --cidr: it has no room for 2 nodes',
  ],
  [
    "--ipv4=false",
    "Cannot create a network: --ipv4=false leaves no address family",
  ],
  ["--input-dir missing", 'Cannot read "missing/osconfig": no such file'],
];

Deno.test("cluster create refuses what is wrong or does not fit by name, before anything is made", async () => {
  await withFolder({}, async (folder) => {
    for (const [words, message] of refusals) {
      const line =
        `cluster create --state ${folder}/state --osconfig ${folder}/osconfig --os-version v1.6 ${words}`;
      const { err, status } = await run(line);
      assert.equal(err.split("\n")[0], `error: ${message}`, words);
      assert.equal(status, 2, words);
    }
    assert.deepEqual(await Array.fromAsync(Deno.readDir(folder)), []);
  });
});

Deno.test("cluster create reports what this machine lacks before anything is made", async () => {
  await withFolder({}, async (folder) => {
    const { err, status } = await run(
      `cluster create --state ${folder}/state --osconfig ${folder}/osconfig --os-version v1.6 --skip-kubeconfig --vmlinuz-path ${folder}/none-\${ARCH} --arch amd64`,
    );
    assert.match(
      err,
      new RegExp(
        `"${folder}/none-amd64" and "_out/initramfs-amd64.xz" cannot be read; name `,
      ),
    );
    assert.equal(status, 1);
    assert.deepEqual(await Array.fromAsync(Deno.readDir(folder)), []);
  });
});
