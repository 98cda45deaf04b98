import { homeDirectory } from "../../config/osconfig/location.ts";
import { type CreatedRow, createdView } from "./_create_cluster.ts";
import { createVms } from "./_qemu/create.ts";
import { type FullInputs, fullInputs } from "./_qemu/inputs.ts";
import { parseRequest } from "./_qemu/request.ts";
import type { Command } from "../_kit/mod.ts";

export const command = {
  summary: "Create a cluster on this machine",
  description:
    `Start with "cluster create embedded": simulated nodes, without any privileges. "cluster create docker" creates
containers, and "cluster create qemu" VMs, with the flags most users need.

Without one of these, it creates VMs with QEMU and has flags for all their settings: for developers. It runs on Linux.
Root is needed for the bridge and the network interfaces of the VMs, and for DHCP and DNS on it; the state directory
belongs to the user who ran sudo.`,
  aliases: ["cluster create dev"],
  inputs: fullInputs,
  examples: [
    "cluster create --vmlinuz-path vmlinuz --initrd-path initramfs.xz",
    "cluster create --iso-path metal-amd64.iso --skip-injecting-config --with-apply-config",
    "cluster create --controlplanes 3 --with-network-chaos --with-network-latency 20ms",
  ],
  view: createdView,
  async *run(context) {
    const { input, environment } = context;
    const request = parseRequest(input, homeDirectory(environment.env));
    yield await createVms(request, context);
  },
} satisfies Command<CreatedRow, FullInputs>;
