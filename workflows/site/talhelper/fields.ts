/** Keys of a `talconfig.yaml` in the configurations of nodes. */

import {
  type ConfigDocument,
  mainKind,
} from "../../../config/documents/load.ts";
import { document } from "../../../config/generate/split_documents.ts";
import { applyPatches, toPatch } from "../../../config/patch.ts";
import {
  type ConfigNode,
  findChild,
  isNull,
  type Plain,
  toTree,
} from "../../../config/tree/node.ts";
import { toPlain } from "../../../config/tree/resolve.ts";
import { withValue } from "../../../config/tree/with_value.ts";
import type { TalhelperKey, TalhelperKeys } from "./keys.ts";
import { type ImportContext, renderLabels, start } from "./patches.ts";

/** A set key, and what it becomes. */
export interface Field {
  readonly rule: TalhelperKey;
  readonly value: ConfigNode;
}

/** Keys that are set, in the order of the table. */
export function listFields(
  root: ConfigNode | undefined,
  keys: TalhelperKeys,
): readonly Field[] {
  return Object.entries(keys).flatMap(([key, rule]) => {
    const value = findChild(root, key);
    return value === undefined || isZero(value) ? [] : [{ rule, value }];
  });
}

/** The configuration with the keys of the file, without patches. */
export function setFields(
  base: readonly ConfigDocument[],
  { fields, settings, host }: {
    readonly fields: readonly Field[];
    readonly settings: ConfigNode;
    readonly host: string;
  },
  importer: ImportContext,
): readonly ConfigDocument[] {
  const { contract, version, report } = importer;
  const isNew = contract.hostnameDocument;
  const isAuto = findText(settings, "ignoreHostname") === "true";
  const documents: Plain[] = [];
  let { root } = base.find(({ kind }) => kind === mainKind) ?? base[0]!;
  const set = (path: string, value: ConfigNode) => {
    root = withValue(root, path.split(".") as [string, ...string[]], value);
  };
  for (const { rule: { main, appends, documents: make }, value } of fields) {
    const items = value.kind === "list" ? value.items : [];
    if (make !== undefined && (main === undefined || isNew)) {
      const made = make(toPlain(value), (index, key, hint) => {
        const { at: place = start } = items[index]?.value ?? value;
        report({
          place,
          message: `Key "${key}" of an interface has no equal`,
          hint,
        });
      });
      documents.push(...made);
    } else if (main !== undefined) {
      const old = findAt(root, main);
      const isJoined = appends && old?.kind === "list";
      set(main, isJoined ? { ...old, items: [...old.items, ...items] } : value);
    }
  }
  if (isNew) {
    documents.push(document("HostnameConfig", {
      ...isAuto ? { auto: "stable" } : { hostname: host, auto: "off" },
    }));
  } else if (!isAuto) set("machine.network.hostname", toTree(host));
  const url = findText(settings, "talosImageURL");
  if (url !== undefined) {
    set("machine.install.image", toTree(`${url}:${version}`));
  }
  const args = findAt(settings, "schematic.customization.extraKernelArgs");
  const isUnified =
    findText(findChild(settings, "machineSpec"), "useUKI") === "true";
  if (args !== undefined && !isUnified && !contract.ukiCommandLine) {
    set("machine.install.extraKernelArgs", args);
  }
  const changed: readonly ConfigDocument[] = base.map((one) =>
    one.kind === mainKind ? { ...one, root } : one
  );
  const merged = documents.reduce((all: typeof changed, one, index) => {
    const root = toTree(one);
    const patch = toPatch([{ root, number: index + 1 }], "talconfig.yaml");
    return applyPatches(all, [patch]).documents;
  }, changed);
  return renderLabels(merged, importer);
}

function findAt(root: ConfigNode, path: string): ConfigNode | undefined {
  return path.split(".").reduce<ConfigNode | undefined>(findChild, root);
}

/** Text of a key; `undefined` if it is missing or empty. */
export function findText(
  root: ConfigNode | undefined,
  key: string,
): string | undefined {
  const value = findChild(root, key);
  return value?.kind === "scalar" && !isNull(value) && value.text !== ""
    ? value.text
    : undefined;
}

/** Reports whether a value is that of a missing key. */
export function isZero(node: ConfigNode): boolean {
  return isNull(node) ||
    node.kind === "scalar" && ["", "false", "0"].includes(node.text);
}
