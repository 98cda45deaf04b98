/** Flags of disks and of the image cache, and their effects. */

/** Words with the flag, what is in what they make, and words without the flag, for which it is not; default none. */
export type Case = readonly [words: string, effect: RegExp, without?: string];

export const extraDiskCases: Readonly<Record<string, Case>> = {
  primaryDisks: [
    "--primary-disks 2",
    /os-default-controlplane-1-1\.disk,cache=none -device virtio-blk-pci/,
  ],
  extraDisksSerials: [
    "--extra-disks 2 --extra-disks-drivers virtio,scsi --extra-disks-serials one,two",
    /virtio-blk-pci,id=disk1,[^ ]*,serial=one .*scsi-hd,[^ ]*,serial=two /,
    "--extra-disks 2 --extra-disks-drivers virtio,scsi",
  ],
  extraDisksOnControlplanes: [
    "--extra-disks 1 --extra-disks-on-controlplanes",
    /os-default-controlplane-1-1\.disk/,
    "--extra-disks 1",
  ],
  skipUnattendedInstallConfig: [
    "--os-version v1.14 --skip-unattended-install-config",
    /^(?![^]*kind: UnattendedInstallConfig)/,
    "--os-version v1.14",
  ],
  skipEtcdK8s: [
    "--os-version v1.14 --skip-etcd-k8s",
    /^(?![^]*kind: Kube)(?![^]*"kubeconfig")[^]*\ncluster: \{\}\n[^]*"isBootstrapped":true,"healthy":false/,
    "--os-version v1.14",
  ],
  extraDisks: ["--extra-disks 1", /os-default-worker-1-1\.disk/],
  extraDisksDrivers: [
    "--extra-disks 1 --extra-disks-drivers nvme",
    / -device nvme-ns,drive=nvme1,/,
    "--extra-disks 1",
  ],
  extraDisksSize: [
    "--extra-disks 1 --extra-disks-size 10",
    /"workerDisks":\[\{"driver":"ide","size":10485760\}\]/,
    "--extra-disks 1",
  ],
};

const imageCache = "--image-cache-path /cache";
const certificate =
  `${imageCache} --image-cache-tls-cert-file /c.pem --image-cache-tls-key-file /k.pem`;

export const imageCacheCases: Readonly<Record<string, Case>> = {
  imageCachePath: [
    imageCache,
    /"imageCache":\{"folder":"\/cache","port":5000\}/,
  ],
  imageCachePort: [
    `${imageCache} --image-cache-port 5001`,
    /"imageCache":\{"folder":"\/cache","port":5001\}/,
    imageCache,
  ],
  imageCacheTlsCertFile: [certificate, /"certFile":"\/c\.pem"/, imageCache],
  imageCacheTlsKeyFile: [certificate, /"keyFile":"\/k\.pem"/, imageCache],
};
