/** `machine.install`. */

import type { Cursor } from "../documents/cursor.ts";
import type { Problem } from "../documents/problem.ts";
import {
  isGiven,
  isSize,
  isSplit,
  joinWords,
  listTexts,
  readText,
} from "./checks.ts";
import type { RuleContext } from "./context.ts";

const diskTypes = ["ssd", "hdd", "nvme", "sd"];

/** Installer and target disk; the disk matters on metal only. */
export function* installRules(
  root: Cursor,
  context: RuleContext,
): Iterable<Problem> {
  const install = root.get("machine", "install");
  yield* extensionRules(install.get("extensions"));
  yield* sizeRules(install.get("diskSelector", "size"));
  if (context.mode !== "metal") return;
  if (!isGiven(install)) {
    if (isSplit(context)) return;
    yield install.error(
      '"machine.install" is missing, which mode "metal" needs',
      "Give machine.install.disk or machine.install.diskSelector",
    );
    return;
  }
  yield* diskRules(install);
  yield* kernelArgumentRules(install);
}

function* extensionRules(extensions: Cursor): Iterable<Problem> {
  const seen = new Set<string>();
  const given = extensions.elements().filter(isGiven);
  for (const extension of given) {
    const image = readText(extension.get("image"));
    if (seen.has(image)) {
      yield extension.get("image").error(
        `System extension "${image}" is listed twice`,
        "Remove one of the two",
      );
    }
    seen.add(image);
  }
  if (given.length > 0) {
    yield extensions.warning(
      "Extensions in the configuration are deprecated",
      "Set machine.install.image to an installer that contains them",
    );
  }
}

function* sizeRules(size: Cursor): Iterable<Problem> {
  const text = readText(size);
  const [, bytes = ""] = /^\s*(?:>=|<=|>|<|==)?\s*(.*?)\s*$/s.exec(text) ?? [];
  if (isGiven(size) && !isSize(bytes)) {
    yield size.error(
      `Disk size "${text}" is not valid`,
      'Write a size such as "4GB", optionally with ==, >=, <=, > or < in front',
    );
  }
}

function* diskRules(install: Cursor): Iterable<Problem> {
  const selector = install.get("diskSelector");
  if (!isGiven(selector)) {
    if (readText(install.get("disk")) === "") {
      yield install.error(
        'Mode "metal" needs a disk to install to',
        "Give machine.install.disk or machine.install.diskSelector",
      );
    }
    return;
  }
  const name = selector.get("name");
  if (readText(name) !== "") {
    yield name.error(
      `Disks cannot be selected by name "${readText(name)}"`,
      "Select by model, serial, wwid or busPath",
    );
  }
  const type = selector.get("type");
  if (readText(type) !== "" && !diskTypes.includes(readText(type))) {
    yield type.error(
      `Disk type "${readText(type)}" does not exist`,
      `Write ${joinWords(diskTypes)}`,
    );
  }
}

function* kernelArgumentRules(install: Cursor): Iterable<Problem> {
  const given = install.get("extraKernelArgs");
  if (
    listTexts(given).length > 0 &&
    install.get("grubUseUKICmdline").truth() === true
  ) {
    yield given.error(
      "extraKernelArgs has no effect while grubUseUKICmdline is true",
      "Remove extraKernelArgs, or set grubUseUKICmdline to false",
    );
  }
}
