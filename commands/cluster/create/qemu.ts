import { homeDirectory } from "../../../config/osconfig/location.ts";
import { processMasker } from "../../../lib/masker.ts";
import { fetchAsset } from "../../../provisioners/mod.ts";
import { working } from "../../../transport/call/open_calls.ts";
import { type CreatedRow, createdView } from "../_create_cluster.ts";
import { createVms } from "../_qemu/create.ts";
import {
  type FactoryInputs,
  factoryInputs,
  factoryRequest,
} from "../_qemu/factory.ts";
import type { Command } from "../../_kit/mod.ts";

export const command = {
  summary: "Create a cluster of VMs with QEMU",
  description:
    `Checks what this machine needs for VMs, downloads the operating system from the image factory once, boots VMs from it,
applies configurations to them, and bootstraps the cluster.

Runs on Linux. Root is needed for the bridge and the network interfaces of the VMs, and for DHCP and DNS on it; the
state directory belongs to the user who ran sudo. Without KVM, VMs run in software, which is much slower.`,
  inputs: factoryInputs,
  examples: [
    "cluster create qemu",
    "cluster create qemu --controlplanes 3 --disks nvme:20GB,scsi:5GB",
    "cluster create qemu --presets iso-secureboot",
  ],
  view: createdView,
  async *run(context) {
    const { input, environment, signal, note } = context;
    const cache = `${homeDirectory(environment.env) ?? "."}/cache`;
    const { imageFactoryAuth: login } = input;
    if (login !== undefined) processMasker.add(login.replace(/^[^:]*:/, ""));
    const authorization = login &&
      `Basic ${new TextEncoder().encode(login).toBase64()}`;
    const request = factoryRequest(input, cache, async (url) => {
      note(`using ${url}`);
      await working(
        `downloading ${url}`,
        () => fetchAsset(url, { cache, signal, authorization }),
      );
    });
    yield await createVms(request, context);
  },
} satisfies Command<CreatedRow, FactoryInputs>;
