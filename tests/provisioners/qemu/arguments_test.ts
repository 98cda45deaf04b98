import assert from "node:assert/strict";
import {
  locateFiles,
  programFor,
  qemuArguments,
  type Start,
} from "../../../provisioners/qemu/arguments.ts";
import {
  diskDrivers,
  type Machine,
} from "../../../provisioners/qemu/machine.ts";
import { createDisk } from "../../../provisioners/qemu/disks.ts";
import { withFolder } from "../../_folder.ts";
import { needs, taps } from "../../_needs.ts";
import { bootMachine, bootSector } from "./_boot.ts";
import { machine } from "./_cluster.ts";
import { command } from "./_command.ts";

const start: Start = { accelerator: "tcg", isInstalled: false, network: false };

function qemuLine(
  change: Partial<Machine>,
  begin: Partial<Start> = {},
): string {
  return qemuArguments({ ...machine, ...change }, { ...start, ...begin }).join(
    " ",
  );
}

Deno.test("qemuArguments of a machine with the usual settings", () => {
  assert.deepEqual(qemuArguments(machine, start), [
    ...["-name", "lab-controlplane-1"],
    ...["-pidfile", "/state/lab/lab-controlplane-1.pid"],
    ...["-m", "2048", "-smp", "cpus=2", "-cpu", "max", "-display", "none"],
    ...[
      "-chardev",
      "file,id=console0,path=/state/lab/lab-controlplane-1.log,append=on",
    ],
    ...["-serial", "chardev:console0"],
    ...["-netdev", "tap,id=net0,ifname=ot00000000-1,script=no,downscript=no"],
    ...[
      "-device",
      "virtio-net-pci,netdev=net0,mac=02:00:00:00:00:01,host_mtu=1400",
    ],
    ...["-device", "virtio-rng-pci"],
    ...["-device", "virtio-balloon,deflate-on-oom=on"],
    ...[
      "-monitor",
      "unix:/state/lab/lab-controlplane-1.monitor,server=on,wait=off",
    ],
    "-no-reboot",
    ...["-boot", "order=cd,reboot-timeout=5000"],
    ...["-smbios", "type=1,uuid=3f0c6f1e-0000-4000-8000-000000000001"],
    ...[
      "-chardev",
      "socket,path=/state/lab/lab-controlplane-1.sock,server=on,wait=off,id=qga0",
    ],
    ...["-device", "virtio-serial"],
    ...["-device", "virtserialport,chardev=qga0,name=org.qemu.guest_agent.0"],
    ...["-device", "i6300esb,id=watchdog0", "-action", "watchdog=pause"],
    ...[
      "-drive",
      "id=virtio0,format=raw,if=none,file=/state/lab/lab-controlplane-1-0.disk,cache=none",
    ],
    ...[
      "-device",
      "virtio-blk-pci,id=disk0,drive=virtio0,logical_block_size=512,physical_block_size=512",
    ],
    ...["-machine", "q35", "-accel", "tcg,thread=multi"],
    ...["-kernel", "/boot/vmlinuz", "-initrd", "/boot/initramfs"],
    ...["-append", "console=ttyS0,115200n8 talos.platform=metal"],
    ...[
      "-smbios",
      "type=11,value=io.systemd.stub.kernel-cmdline-extra=console=ttyS0",
    ],
  ]);
});

/** A change, and a part of the line that it makes. */
const changes:
  readonly (readonly [string, Partial<Machine>, Partial<Start>, string])[] = [
    ["KVM", {}, { accelerator: "kvm" }, "-machine q35 -accel kvm"],
    [
      "arm64",
      { architecture: "arm64" },
      {},
      "-machine virt,gic-version=max -accel tcg,thread=multi",
    ],
    [
      "the network this time",
      {},
      { network: true },
      "-boot order=nc,reboot-timeout=5000",
    ],
    [
      "the network",
      { boot: { kind: "network" } },
      {},
      "-boot order=nc,reboot-timeout=5000",
    ],
    [
      "an ISO",
      { boot: { kind: "iso", path: "/a,b.iso" } },
      {},
      "-drive id=cdrom0,file=/a,,b.iso,media=cdrom",
    ],
    [
      "a USB stick",
      { boot: { kind: "usb", path: "/stick" } },
      {},
      "-drive if=none,id=stick,format=raw,read-only=on,file=/stick -device nec-usb-xhci,id=xhci -device usb-storage,bus=xhci.0,drive=stick,removable=on",
    ],
    [
      "a unified kernel image",
      { boot: { kind: "uki", path: "/uki.efi" }, kernelArguments: "a b" },
      {},
      "-kernel /uki.efi -append a b",
    ],
    [
      "UEFI",
      { firmware: ["/code", "/vars"] },
      {},
      "-drive file=/code,format=raw,if=pflash -drive file=/vars,format=raw,if=pflash",
    ],
    ["secure boot", { isSecureBoot: true }, {}, "-machine q35,smm=on"],
    [
      "a TPM",
      { tpm: "2.0" },
      {},
      "-chardev socket,id=chrtpm,path=/state/lab/lab-controlplane-1-tpm/swtpm.sock -tpmdev emulator,id=tpm0,chardev=chrtpm -device tpm-tis,tpmdev=tpm0",
    ],
    [
      "a TPM on arm64",
      { tpm: "2.0", architecture: "arm64" },
      {},
      "-device tpm-tis-device,tpmdev=tpm0",
    ],
    [
      "an IOMMU",
      { hasIommu: true },
      { accelerator: "kvm" },
      "-machine q35,kernel-irqchip=split -accel kvm -device intel-iommu,intremap=on,device-iotlb=on -device ioh3420,id=pcie.1,chassis=1 -netdev hubport,id=net1,hubid=1 -device e1000,bus=pcie.1,netdev=net1",
    ],
    [
      "a wrong clock",
      { isClockWrong: true },
      {},
      "-rtc base=2011-11-11T11:11:00,clock=rt",
    ],
    ["a wrong clock of KVM", { isClockWrong: true }, {}, "-cpu max,-kvmclock"],
    [
      "a configuration on an ISO",
      { configurationIso: "/state/c.iso" },
      {},
      "-drive id=cdrom1,file=/state/c.iso,media=cdrom",
    ],
    [
      "a debug shell",
      { hasDebugShell: true },
      {},
      "-serial unix:/state/lab/lab-controlplane-1.serial,server=on,wait=off",
    ],
  ];

for (const [name, change, begin, part] of changes) {
  Deno.test(`qemuArguments of a machine with ${name}`, () => {
    const line = qemuLine(change, begin);
    assert.ok(line.includes(part), line);
  });
}

Deno.test("qemuArguments attaches disks by their drivers, with one controller for each", () => {
  const drivers = [
    "ide",
    "ahci",
    "ahci",
    "scsi",
    "nvme",
    "nvme",
    "megaraid",
  ] as const;
  const line = qemuLine({
    disks: drivers.map((driver, at) => ({
      path: `/${at}`,
      driver,
      blockSize: 4096,
    })),
  });
  const blocks = "logical_block_size=4096,physical_block_size=4096";
  const expected = [
    "-drive format=raw,if=ide,media=disk,file=/0,cache=none",
    "-device ahci,id=ahci0 -drive id=ide1,format=raw,if=none,file=/1 -device ide-hd,drive=ide1,bus=ahci0.0",
    "-drive id=ide2,format=raw,if=none,file=/2 -device ide-hd,drive=ide2,bus=ahci0.1",
    `-device virtio-scsi-pci,id=scsi0 -drive id=scsi3,format=raw,if=none,file=/3,discard=unmap,cache=none -device scsi-hd,drive=scsi3,bus=scsi0.0,${blocks}`,
    `-device nvme,id=nvme-ctrl-0,serial=deadbeef -drive id=nvme4,format=raw,if=none,file=/4,discard=unmap,cache=none -device nvme-ns,drive=nvme4,${blocks}`,
    `-drive id=nvme5,format=raw,if=none,file=/5,discard=unmap,cache=none -device nvme-ns,drive=nvme5,${blocks}`,
    `-device megasas-gen2,id=megaraid0 -drive id=scsi6,format=raw,if=none,file=/6,discard=unmap,cache=none -device scsi-hd,drive=scsi6,bus=megaraid0.0,channel=0,scsi-id=0,lun=0,${blocks}`,
    "-machine",
  ].join(" ");
  assert.ok(line.includes(expected), line);
});

Deno.test("qemuArguments leaves the medium out once the machine is installed", () => {
  const iso = { boot: { kind: "iso", path: "/os.iso" } } as const;
  assert.doesNotMatch(qemuLine(iso, { isInstalled: true }), /cdrom0/);
  assert.doesNotMatch(
    qemuLine({ ...iso, hasBootloader: false }, { isInstalled: true }),
    /cdrom0/,
  );
  assert.doesNotMatch(qemuLine({}, { isInstalled: true }), /-kernel/);
  // Without a boot loader the disk alone does not boot.
  assert.match(
    qemuLine({ hasBootloader: false }, { isInstalled: true }),
    /-kernel/,
  );
});

Deno.test("programFor and locateFiles name the program and its files", () => {
  assert.equal(programFor({ architecture: "amd64" }), "qemu-system-x86_64");
  assert.equal(programFor({ architecture: "arm64" }), "qemu-system-aarch64");
  assert.equal(
    locateFiles(machine).monitor,
    "/state/lab/lab-controlplane-1.monitor",
  );
});

Deno.test(
  "a machine with disks of every driver and large blocks boots a CD and a USB stick",
  needs("qemu-system-x86_64", "genisoimage", "ip", taps),
  async () => {
    await withFolder({}, async (folder) => {
      await Deno.writeFile(`${folder}/boot.img`, bootSector());
      await Deno.mkdir(`${folder}/content`);
      await Deno.copyFile(`${folder}/boot.img`, `${folder}/content/boot.img`);
      await command([
        ...["genisoimage", "-quiet", "-no-emul-boot", "-b", "boot.img"],
        ...["-o", `${folder}/os.iso`, `${folder}/content`],
      ]);
      await Deno.truncate(`${folder}/boot.img`, 1024 * 1024);
      const disks = [];
      for (const driver of diskDrivers) {
        const path = `${folder}/${driver}.disk`;
        await createDisk({ path, size: 1, isPreallocated: false });
        disks.push({ path, driver, blockSize: 4096 });
      }
      for (
        const [kind, file] of [["iso", "os.iso"], ["usb", "boot.img"]] as const
      ) {
        const boot = { kind, path: `${folder}/${file}` };
        const one: Machine = {
          ...machine,
          folder,
          memory: 64,
          disks,
          boot,
          hasIommu: true,
        };
        assert.equal(await bootMachine(one, "hello"), "hello\n", kind);
      }
    });
  },
);
