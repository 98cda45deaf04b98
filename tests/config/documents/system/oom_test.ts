import { oom } from "../../../../config/documents/system/oom.ts";
import { testRules } from "../_rules.ts";

testRules(oom, [
  { title: "0 is fine", value: { sampleInterval: "0s" }, problems: [] },
  {
    title: "intervals are not negative",
    value: { sampleInterval: "-1ms" },
    problems: ['sampleInterval: Time "-1ms" is negative'],
  },
]);
