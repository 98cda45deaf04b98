import { extensionService } from "../../../../config/documents/system/extension_service.ts";
import { testRules } from "../_rules.ts";

testRules(extensionService, [
  {
    title: "variables are enough",
    value: { name: "a", environment: ["A=1"] },
    problems: [],
  },
  {
    title: "files are enough",
    value: { name: "a", configFiles: [{ content: "a", mountPath: "/a" }] },
    problems: [],
  },
  {
    title: "something must be given",
    value: { name: "a", configFiles: [], environment: null },
    problems: [': Neither "configFiles" nor "environment" is given'],
  },
]);
