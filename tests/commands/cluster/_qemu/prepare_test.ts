import assert from "node:assert/strict";
import { parse } from "yaml";
import { factoryInputs } from "../../../../commands/cluster/_qemu/factory.ts";
import { fullInputs } from "../../../../commands/cluster/_qemu/inputs.ts";
import { withFolder } from "../../../_folder.ts";
import { run } from "../../../_run.ts";
import { build, makeFromFactory } from "./_request_text.ts";
import { type Case, extraDiskCases, imageCacheCases } from "./_disk_cases.ts";

/** Some seconds of processor time, for each of the flags. */
export const longestSeconds = 120;

/** Flags of both commands. */
const shared = {
  name: ["--name lab", / -name lab-controlplane-1 /],
  state: ["--state /other", /^state: \/other /m],
  accel: ["--accel tcg", /"accelerator":"tcg"/],
  arch: ["--arch arm64", /^qemu-system-aarch64 /m],
  cidr: ["--cidr 10.9.0.0/24", /"ipv4":\{"address":"10\.9\.0\.2"/],
  configPatch: [
    '--config-patch {"machine":{"nodeLabels":{"all":"1"}}}',
    /^worker:[^]*^ {8}all: "1"/m,
  ],
  controlplanes: ["--controlplanes 2", / -name os-default-controlplane-2 /],
  workers: ["--workers 2", / -name os-default-worker-2 /],
  cpusWorkers: [
    "--cpus-workers 4",
    / -name os-default-worker-1 .* -smp cpus=4 /,
  ],
  memoryWorkers: [
    "--memory-workers 3GiB",
    / -name os-default-worker-1 .* -m 3072 /,
  ],
  kubernetesVersion: ["--kubernetes-version 1.33.2", /kubelet:v1\.33\.2/],
  waitTimeout: ["--wait-timeout 5s", /"waitMs":5000/],
  mtu: ["--mtu 1400", /host_mtu=1400 /],
  omniApiEndpoint: [
    "--omni-api-endpoint https://omni.example.org?jointoken=secret",
    /^controlplane:\napiVersion: v1alpha1\nkind: SideroLinkConfig\napiUrl: https:\/\/omni\.example\.org\?jointoken=secret\n\n[^]*"isManaged":true/m,
  ],
  registryMirror: [
    "--registry-mirror docker.io=https://mirror.example.org",
    /https:\/\/mirror\.example\.org/,
  ],
} satisfies Record<string, Case>;

const chaos = "--with-network-chaos";

const full: Readonly<Record<string, Case>> = {
  ...shared,
  configPatchControlPlane: [
    '--config-patch-control-plane {"machine":{"nodeLabels":{"one":"1"}}}',
    /^controlplane:[^]*^ {8}one: "1"[^]*^worker:/m,
  ],
  configPatchWorker: [
    '--config-patch-worker {"machine":{"nodeLabels":{"one":"1"}}}',
    /^worker:[^]*^ {8}one: "1"/m,
  ],
  cpus: ["--cpus 4", / -name os-default-controlplane-1 .* -smp cpus=4 /],
  memory: ["--memory 3GiB", / -name os-default-controlplane-1 .* -m 3072 /],
  controlPlanePort: ["--control-plane-port 7443", /localAPIServerPort: 7443/],
  customCniUrl: [
    "--custom-cni-url https://x/cni.yaml",
    /- https:\/\/x\/cni\.yaml/,
  ],
  dnsDomain: ["--dns-domain lab.local", /dnsDomain: lab\.local/],
  endpoint: ["--endpoint 192.0.2.9", /^endpoints: 192\.0\.2\.9;/m],
  initNodeAsEndpoint: [
    "--init-node-as-endpoint --controlplanes 2",
    /^endpoints: 10\.5\.0\.2;/m,
    "--controlplanes 2",
  ],
  ipv4: ["--ipv4=false --ipv6", /^lease: (?!.*ipv4)/m, "--ipv6"],
  ipv6: ["--ipv6", /"ipv6":\{"address":"fd74:616c:a05:0::2"/],
  kubeprismPort: ["--kubeprism-port 7446", /port: 7446/],
  registryInsecureSkipVerify: [
    "--registry-insecure-skip-verify registry.example.org",
    /kind: RegistryTLSConfig\nname: registry\.example\.org/,
  ],
  skipInjectingConfig: [
    "--skip-injecting-config",
    /^(?!.*talos\.config=)qemu-system[^]*"writesFiles":true/m,
  ],
  skipK8sNodeReadinessCheck: [
    "--skip-k8s-node-readiness-check",
    /"isReadinessSkipped":true/,
  ],
  skipKubeconfig: ["--skip-kubeconfig", /^bring up: (?!.*kubeconfig)/m],
  osVersion: [
    "--os-version v1.11",
    / talos\.platform=metal .*(?![^]*LinkAliasConfig)/,
  ],
  wait: ["--wait=false", /"healthy":false/],
  crashdump: ["--crashdump", /"printsConsoles":true/],
  wireguardCidr: [
    "--wireguard-cidr 10.6.0.0/24",
    /kind: WireguardConfig\nname: wg0/,
  ],
  withApplyConfig: [
    "--with-apply-config --skip-injecting-config",
    /"writesFiles":false,"applies":true/,
    "--skip-injecting-config",
  ],
  withBootloader: [
    "--with-bootloader=false",
    /kernel\.kexec_load_disabled: "1"/,
  ],
  withClusterDiscovery: [
    "--with-cluster-discovery=false",
    /discovery:\n {8}enabled: false/,
  ],
  withDebug: ["--with-debug", /^debug: true/m],
  withInitNode: ["--with-init-node", /type: init[^]*"isBootstrapped":true/],
  withJsonLogs: ["--with-json-logs", /endpoint: tcp:\/\/10\.5\.0\.1:4003/],
  withKubespan: ["--with-kubespan", /kubespan:\n\s+enabled: true/i],
  withUuidHostnames: ["--with-uuid-hostnames", / -name machine-[0-9a-f-]{36} /],
  badRtc: ["--bad-rtc", / -rtc base=2011-11-11T11:11:00,clock=rt/],
  configInjectionMethod: [
    "--config-injection-method metal-iso",
    / -drive id=cdrom1,file=\S+-metal-config\.iso,media=cdrom .* talos\.config=metal-iso /,
  ],
  disableDhcpHostname: ["--disable-dhcp-hostname", /^lease: (?!.*"hostname")/m],
  disk: ["--disk 100", /"disksize":104857600/],
  diskBlockSize: [
    "--disk-block-size 4096",
    /,logical_block_size=4096,physical_block_size=4096 /,
  ],
  diskEncryptionKeyTypes: [
    "--disk-encryption-key-types kms --encrypt-state",
    /kms:\n\s+endpoint: grpc:\/\/10\.5\.0\.1:4050/,
    "--encrypt-state",
  ],
  diskImagePath: [
    "--disk-image-path /os.raw",
    /^(?!.* -kernel )qemu-system[^]*"diskImage":"\/os\.raw"/m,
  ],
  diskPreallocate: ["--disk-preallocate=false", /"isPreallocated":false/],
  encryptEphemeral: [
    "--encrypt-ephemeral",
    /kind: VolumeConfig\nname: EPHEMERAL/,
  ],
  encryptState: ["--encrypt-state", /kind: VolumeConfig\nname: STATE/],
  encryptUserVolumes: [
    "--encrypt-user-volumes --user-volumes data:1GB",
    /name: data[^-]*(-[^-]+)*encryption:\n {4}provider: luks2/,
    "--user-volumes data:1GB",
  ],
  extraBootKernelArgs: [
    "--extra-boot-kernel-args=-pti",
    / -append (?!.*pti=on)/,
  ],
  ...extraDiskCases,
  ...imageCacheCases,
  extraUefiSearchPaths: [
    "--extra-uefi-search-paths /firmware",
    /"firmwareFolders":\["\/firmware"\]/,
  ],
  initrdPath: ["--initrd-path /initrd-${ARCH}", / -initrd \/initrd-amd64 /],
  installImage: [
    "--install-image registry/installer:1",
    /image: registry\/installer:1\n/,
  ],
  ipxeBootScript: [
    "--ipxe-boot-script http://boot/",
    / -boot order=nc,[^]*"file":"ipxe\.efi"[^]*"bootScript":"http:\/\/boot\/"/,
  ],
  isoPath: [
    "--iso-path /os.iso",
    / -drive id=cdrom0,file=\/os\.iso,media=cdrom /,
  ],
  nameservers: [
    "--nameservers 192.0.2.53",
    /"nameservers":\["192\.0\.2\.53"\]\}/,
  ],
  noMasqueradeCidrs: [
    "--no-masquerade-cidrs 192.0.2.0/24",
    /daddr != \{.* 192\.0\.2\.0\/24 \} masquerade/,
  ],
  ukiPath: ["--uki-path /os.efi", / -kernel \/os\.efi -append /],
  usbPath: ["--usb-path /os.usb", /file=\/os\.usb .*-device usb-storage,/],
  useVip: [
    "--use-vip",
    /kind: Layer2VIPConfig[^]*"kubernetesendpoint":"https:\/\/10\.5\.0\.50:6443"/,
  ],
  userVolumes: [
    "--user-volumes data:1GB",
    /if=ide,media=disk,file=[^]*kind: UserVolumeConfig\nname: data/,
  ],
  vmlinuzPath: ["--vmlinuz-path /linux-${ARCH}", / -kernel \/linux-amd64 /],
  withDebugShell: [
    "--with-debug-shell",
    / talos\.debugshell .*|-serial unix:\S+\.serial,/,
  ],
  withFirewall: [
    "--with-firewall block",
    /kind: NetworkDefaultActionConfig\ningress: block/,
  ],
  withIommu: ["--with-iommu", / -device intel-iommu,/],
  withNetworkChaos: [
    `${chaos} --with-network-latency 20ms`,
    /^tc netem delay 20ms$/m,
  ],
  withNetworkBandwidth: [
    `${chaos} --with-network-bandwidth 100`,
    /^tc tbf rate 100kbit /m,
  ],
  withNetworkJitter: [
    `${chaos} --with-network-jitter 5ms`,
    /^tc netem delay 0ms 5ms$/m,
  ],
  withNetworkLatency: [
    `${chaos} --with-network-latency 20ms`,
    /^tc netem delay 20ms$/m,
    chaos,
  ],
  withNetworkPacketCorrupt: [
    `${chaos} --with-network-packet-corrupt 0.1`,
    /^tc netem corrupt 10%$/m,
  ],
  withNetworkPacketLoss: [
    `${chaos} --with-network-packet-loss 0.1`,
    /^tc netem loss 10%$/m,
  ],
  withNetworkPacketReorder: [
    `${chaos} --with-network-latency 20ms --with-network-packet-reorder 0.1`,
    /^tc netem delay 20ms reorder 10%$/m,
    `${chaos} --with-network-latency 20ms`,
  ],
  withTpm1_2: ["--with-tpm1_2", / -device tpm-tis,[^]*"tpm":"1\.2"/],
  withTpm2: ["--with-tpm2", / -device tpm-tis,[^]*"tpm":"2\.0"/],
  withUefi: ["--with-uefi=false", /^(?!.*if=pflash)qemu-system/m],
  cniBinPath: [
    "--cni-bin-path /opt/cni",
    /^cni: \{"binPaths":\["\/opt\/cni"\],"cacheDir":"\/home\/\.os\/cni\/cache"/m,
  ],
  cniBundleUrl: [
    "--cni-bundle-url http://x/${ARCH}.tgz",
    /"bundleUrl":"http:\/\/x\/amd64\.tgz"/,
  ],
  cniCacheDir: [
    "--cni-bin-path /opt/cni --cni-cache-dir /cache",
    /^cni: .*"cacheDir":"\/cache"/m,
    "--cni-bin-path /opt/cni",
  ],
  cniConfDir: [
    "--cni-bin-path /opt/cni --cni-conf-dir /conf",
    /^cni: .*"confDir":"\/conf"/m,
    "--cni-bin-path /opt/cni",
  ],
  withOslink: [
    "--with-oslink",
    / talos\.config\.early=\S+ [^]*kind: SideroLinkConfig\napiUrl: grpc:\/\/10\.5\.0\.1:\d+\?jointoken=foo\n/,
  ],
  airgapped: ["--airgapped", / oifname != "osbr\w+" drop/],
  skipInjectingExtraCmdline: [
    "--skip-injecting-extra-cmdline",
    /^(?!.*kernel-cmdline-extra)qemu-system/m,
  ],
};

/** Flags whose effects are read back elsewhere. */
const elsewhere = [
  // Refused unless it is the only value there is.
  "provisioner",
  // Reads files; see below.
  "inputDir",
  // Refused.
  "extraDisksTags",
];

const factory: Readonly<Record<string, Case>> = {
  ...shared,
  cpusControlplanes: [
    "--cpus-controlplanes 4",
    / -name os-default-controlplane-1 .* -smp cpus=4 /,
  ],
  memoryControlplanes: [
    "--memory-controlplanes 3GiB",
    / -name os-default-controlplane-1 .* -m 3072 /,
  ],
  configPatchControlplanes: [
    '--config-patch-controlplanes {"machine":{"nodeLabels":{"one":"1"}}}',
    /^controlplane:[^]*^ {8}one: "1"[^]*^worker:/m,
  ],
  configPatchWorkers: [
    '--config-patch-workers {"machine":{"nodeLabels":{"one":"1"}}}',
    /^worker:[^]*^ {8}one: "1"/m,
  ],
  disks: [
    "--disks nvme:20GB,scsi:5GB",
    /disk: \/dev\/nvme0n1\n[^]*"disks":\[\{"driver":"nvme","size":20000000000\}\],"workerDisks":\[\{"driver":"scsi","size":5000000000\}\]/,
  ],
  imageFactoryUrl: [
    "--image-factory-url http://factory.example.org/",
    /^asset: .*"url":"http:\/\/factory\.example\.org\/image\/[^]*image: factory\.example\.org\/metal-installer\//,
  ],
  osVersion: [
    "--os-version v1.11.3",
    /\/v1\.11\.3\/metal-amd64\.iso"[^]*:v1\.11\.3\n/,
  ],
  osconfigDestination: ["--osconfig-destination /o", /"osconfig":"\/o"/],
  presets: [
    "--presets iso-secureboot",
    /metal-amd64-secureboot\.iso"[^]* -device tpm-tis,[^]*metal-installer-secureboot\/[^]*checkSecurebootStatusOnEnroll: true/,
  ],
  schematicId: [
    "--schematic-id abc",
    /\/image\/abc\/v[^]*metal-installer\/abc:v/,
  ],
};

const commands = [
  ["cluster create", Object.keys(fullInputs), full, build, elsewhere],
  [
    "cluster create qemu",
    Object.keys(factoryInputs),
    factory,
    makeFromFactory,
    // Is sent with downloads only.
    ["imageFactoryAuth"],
  ],
] as const;

for (const [command, flags, cases, make, others] of commands) {
  Deno.test(`${command}: every flag has an effect that can be read back`, async () => {
    const untested = flags.filter((flag) =>
      !Object.hasOwn(cases, flag) && !others.some((one) => one === flag)
    );
    assert.deepEqual(untested, [], "these flags have no case");
    const texts = new Map<string, string>();
    const prepareText = async (words: string) => {
      const text = texts.get(words) ??
        await make([
          "--arch",
          "amd64",
          ...words.split(" ").filter((word) => word !== ""),
        ]);
      texts.set(words, text);
      return text;
    };
    for (const [flag, [words, effect, without = ""]] of Object.entries(cases)) {
      assert.match(await prepareText(words), effect, flag);
      assert.doesNotMatch(
        await prepareText(without),
        effect,
        `without ${flag}`,
      );
    }
  });
}

Deno.test("cluster create: --with-oslink has a kind for each of its values", async () => {
  const kinds = {
    true: "grpc",
    wireguard: "grpc",
    tunnel: "grpc.*grpc_tunnel=true",
    "wireguard+tls": "https",
    "grpc-tunnel+tls": "https.*grpc_tunnel=true",
  };
  for (const [value, url] of Object.entries(kinds)) {
    const text = await build([`--with-oslink=${value}`]);
    assert.match(text, new RegExp(`apiUrl: ${url}`), value);
    assert.equal(
      text.includes("kind: TrustedRootsConfig"),
      value.endsWith("tls"),
      value,
    );
    assert.equal(
      text.includes("grpc_tunnel=true"),
      value.includes("tunnel"),
      value,
    );
  }
});

Deno.test("cluster create takes configurations and keys that are there from a directory", async () => {
  await withFolder({}, async (folder) => {
    const line =
      `gen config own https://192.0.2.1:6443 --os-version v1.6 -o ${folder}`;
    assert.equal((await run(line)).status, 0);
    const text = await build(["--input-dir", folder, "--os-version", "v1.6"]);
    assert.match(text, /clusterName: own\b/);
    const { ca } =
      parse(await Deno.readTextFile(`${folder}/osconfig`)).contexts.own;
    assert.ok(text.includes(`crt: ${ca}`), "the CA is another one");
  });
});
