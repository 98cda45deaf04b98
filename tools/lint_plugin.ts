/** Custom rules for `deno lint`. */

/** Exempt files, by rule; a trailing slash means a folder. */
const exempt = {
  exit: ["mod.ts", "tools/", "tests/", "bench/"],
  lazyImport: [
    "mod.ts",
    "commands/_index.ts",
    "terminal/render.ts",
    "commands/_kit/session.ts",
    "commands/_kit/completion.ts",
    "commands/_kit/completion_source.ts",
    "commands/_resources/resource_row.ts",
    "commands/_kit/target_nodes.ts",
    "commands/_kit/run_rows.ts",
    "commands/health.ts",
    "commands/version.ts",
    "config/osconfig/osconfig_file.ts",
    "transport/connect/dial.ts",
    "transport/node/members.ts",
    "transport/node/open_nodes.ts",
    "transport/signing/signing_key.ts",
    "provisioners/mod.ts",
    "workflows/runbooks/language/typescript/sandbox.ts",
    "tools/",
    "tests/",
    "bench/",
  ],
  environment: [
    "terminal/environment.ts",
    // Child processes inherit the environment anyway; here `PATH` gets more folders.
    "provisioners/qemu/run.ts",
    "mod.ts",
    "tools/",
    "tests/",
    "bench/",
  ],
  clock: [
    "terminal/environment.ts",
    "simulator/clock/clock.ts",
    // Parameter defaults, for callers without a clock.
    "pki/certificate.ts",
    "pki/diagnose.ts",
    "simulator/state/identities.ts",
    "transport/connect/diagnostic_dial.ts",
    "transport/stream/follow.ts",
    "transport/stream/follow_events.ts",
    "transport/signing/signature.ts",
    "tools/",
    "tests/",
    "bench/",
  ],
  files: [
    "mod.ts",
    "commands/_kit/",
    "commands/_session/",
    "commands/_copy/",
    "commands/_debug/",
    "commands/_pcap/capture_file.ts",
    "commands/copy.ts",
    "terminal/",
    "lib/archive/unpack_bounds.ts",
    "lib/files/",
    "config/osconfig/update_osconfig.ts",
    "provisioners/",
    "simulator/etcd/",
    "workflows/airgap/image_store.ts",
    "workflows/airgap/layout_store.ts",
    "workflows/etcd/snapshot/",
    "workflows/image_cache/",
    "workflows/operations/journal_file.ts",
    "workflows/rehearsal/model_disk.ts",
    "workflows/runbooks/lock/holder.ts",
    "workflows/runbooks/lock/local_lock.ts",
    "workflows/runbooks/fleet/fleet_runs.ts",
    "workflows/runbooks/run/output_files.ts",
    "workflows/runbooks/store/",
    "workflows/site/patch_files.ts",
    "workflows/support/",
    "workflows/vault/",
    "tools/",
    "tests/",
    "bench/",
  ],
  inheritedKeys: ["tests/", "bench/"],
  vendor: [
    "talos.ts",
    // Lists the names of commands, also those of talosctl.
    "commands/_index.ts",
    // Acts as a node.
    "simulator/",
    // Names the folder and the product as listed by the CNCF.
    "commands/conformance/kubernetes.ts",
    "tests/",
    "tools/lint_plugin.ts",
    "transport/gen/",
  ],
} as const;

/** Members of `Deno` for streams, environment and arguments. */
const outsideNames = /^(stdout|stderr|stdin|env|args)$/;

/** Members of `Deno` for files. */
const filing =
  /^(open|create|(read|write)(Text)?File|readDir|readLink|realPath|l?stat|mkdir|remove|rename|link|symlink|copyFile|chmod|chown|truncate|utime|makeTemp(Dir|File)|watchFs)(Sync)?$/;

function isExempt(file: string, rule: keyof typeof exempt): boolean {
  const root = new URL("../", import.meta.url).pathname;
  const path = file.startsWith(root) ? file.slice(root.length) : file;
  return exempt[rule].some((one) =>
    one.endsWith("/") ? path.startsWith(one) : path === one
  );
}

function makeRule(
  rule: keyof typeof exempt,
  visitor: (context: Deno.lint.RuleContext) => Deno.lint.LintVisitor,
): Deno.lint.Rule {
  return {
    create: (context) =>
      isExempt(context.filename, rule) ? {} : visitor(context),
  };
}

/** Reports members of `Deno` by name. */
function members(
  context: Deno.lint.RuleContext,
  names: RegExp,
  message: string,
): Deno.lint.LintVisitor {
  return {
    'MemberExpression[object.name="Deno"]'(node) {
      const { property } = node;
      if (property.type === "Identifier" && names.test(property.name)) {
        context.report({ node, message });
      }
    },
  };
}

/** The plugin; `deno lint` wants a default export. */
// deno-lint-ignore house/default-export
export default {
  name: "house",
  rules: {
    exit: makeRule(
      "exit",
      (context) => members(context, /^exit$/, "Only mod.ts ends the process"),
    ),
    "lazy-import": makeRule("lazyImport", (context) => ({
      ImportExpression(node) {
        const message = "Imports are static outside the index";
        context.report({ node, message });
      },
    })),
    environment: makeRule("environment", (context) =>
      members(
        context,
        outsideNames,
        "Streams, environment and arguments come from the environment",
      )),
    clock: makeRule("clock", (context) => {
      const message = "The present is a parameter";
      return {
        'NewExpression[callee.name="Date"][arguments.length=0]'(node) {
          context.report({ node, message });
        },
        'MemberExpression[object.name="Date"][property.name="now"]'(node) {
          context.report({ node, message });
        },
      };
    }),
    files: makeRule("files", (context) => {
      const message = "Files are for the layers that own them";
      return {
        ...members(context, filing, message),
        ImportDeclaration(node) {
          if (/^node:fs(\/|$)/.test(node.source.value)) {
            context.report({ node, message });
          }
        },
      };
    }),
    vendor: makeRule("vendor", (context) => {
      // Wire and file names have no spaces; user-visible text does. Kinds of documents stand in their tables.
      const vendor = /^(?=[^]*(talos|sidero)(?!\w+Config\b))(?=[^]*\s)/i;
      const message =
        "Sentences have neutral words; names that a protocol has may stand where it is";
      return {
        Literal(node) {
          if (typeof node.value === "string" && vendor.test(node.value)) {
            context.report({ node, message });
          }
        },
        TemplateElement(node) {
          if (vendor.test(node.cooked)) context.report({ node, message });
        },
      };
    }),
    "inherited-keys": makeRule("inheritedKeys", (context) => ({
      'BinaryExpression[operator="in"]'(node) {
        // A literal is a key that the code knows, a member a symbol of the language.
        if (!/^(Identifier|CallExpression)$/.test(node.left.type)) return;
        const message =
          'A word from outside may be "constructor": write Object.hasOwn';
        context.report({ node, message });
      },
    })),
    "default-export": {
      create: (context) => ({
        ExportDefaultDeclaration(node) {
          // A runbook is its file's default export.
          if (context.filename.endsWith(".runbook.ts")) return;
          context.report({ node, message: "Exports have names" });
        },
      }),
    },
    "strict-assert": {
      create: (context) => ({
        ImportDeclaration(node) {
          if (!/^node:assert(\/|$)/.test(node.source.value)) return;
          // The runtime's named functions compare loosely even in the strict module.
          const strict = node.source.value === "node:assert/strict" &&
            node.specifiers.every(({ type }) =>
              type === "ImportDefaultSpecifier"
            );
          if (strict) return;
          context.report({
            node,
            message: 'Write: import assert from "node:assert/strict"',
          });
        },
      }),
    },
  },
} satisfies Deno.lint.Plugin;
