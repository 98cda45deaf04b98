/** House rules that `deno lint` checks. */

/** Files that may do what others may not, by rule; a trailing slash means a folder. */
const exempt = {
  exit: ["mod.ts", "tools/", "tests/", "bench/"],
  lazyImport: [
    "mod.ts",
    "commands/_index.ts",
    "commands/_kit/render.ts",
    "commands/_kit/session.ts",
    "commands/_kit/completion.ts",
    "config/osconfig.ts",
    "transport/members.ts",
    "transport/signing_key.ts",
    "provisioners/mod.ts",
    "tools/",
    "tests/",
    "bench/",
  ],
  world: ["commands/_kit/world.ts", "mod.ts", "tools/", "tests/", "bench/"],
  vendor: [
    "dialect.ts",
    "tests/",
    "tools/lint_plugin.ts",
    "transport/gen/",
  ],
} as const;

/** Members of `Deno` that are the outside world. */
const worldly = ["stdout", "stderr", "stdin", "env", "args"];

function isExempt(file: string, rule: keyof typeof exempt): boolean {
  const root = new URL("../", import.meta.url).pathname;
  const path = file.startsWith(root) ? file.slice(root.length) : file;
  return exempt[rule].some((one) =>
    one.endsWith("/") ? path.startsWith(one) : path === one
  );
}

function ruleOf(
  rule: keyof typeof exempt,
  visitor: (context: Deno.lint.RuleContext) => Deno.lint.LintVisitor,
): Deno.lint.Rule {
  return {
    create: (context) =>
      isExempt(context.filename, rule) ? {} : visitor(context),
  };
}

/** The plugin; `deno lint` wants a default export. */
// deno-lint-ignore house/default-export
export default {
  name: "house",
  rules: {
    exit: ruleOf("exit", (context) => ({
      'MemberExpression[object.name="Deno"][property.name="exit"]'(node) {
        context.report({ node, message: "Only mod.ts ends the process" });
      },
    })),
    "lazy-import": ruleOf("lazyImport", (context) => ({
      ImportExpression(node) {
        context.report({
          node,
          message: "Imports are static outside the index",
        });
      },
    })),
    world: ruleOf("world", (context) => ({
      'MemberExpression[object.name="Deno"]'(node) {
        const { property } = node;
        if (property.type === "Identifier" && worldly.includes(property.name)) {
          context.report({
            node,
            message: "Streams, environment and arguments come from the world",
          });
        }
      },
    })),
    vendor: ruleOf("vendor", (context) => ({
      Literal(node) {
        if (
          typeof node.value === "string" && /talos|sidero/i.test(node.value)
        ) {
          context.report({
            node,
            message: "The vendor's words stand in dialect.ts",
          });
        }
      },
      TemplateElement(node) {
        if (/talos|sidero/i.test(node.cooked)) {
          context.report({
            node,
            message: "The vendor's words stand in dialect.ts",
          });
        }
      },
    })),
    "default-export": {
      create: (context) => ({
        ExportDefaultDeclaration(node) {
          context.report({ node, message: "Exports have names" });
        },
      }),
    },
  },
} satisfies Deno.lint.Plugin;
