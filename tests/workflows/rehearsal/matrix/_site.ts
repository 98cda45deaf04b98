/** Applies of sites as headlines of matrices. */

import assert from "node:assert/strict";
import { type AppliedSite, prepareApply } from "../../site/_apply.ts";
import { throughMatrices } from "./_matrices.ts";

/** A context, and the number of boots that its apply needs. */
interface MatrixSite extends AppliedSite {
  readonly name: string;
  /** Restarts of each node, control planes first. */
  readonly reboots: readonly number[];
}

/**
 * Tests that an apply comes to the same end, whatever happens once: nothing differs, no node has booted once too often,
 * and etcd was bootstrapped exactly once, if at all.
 */
export async function throughSiteMatrices(context: MatrixSite): Promise<void> {
  const { name, reboots } = context;
  const { plan, compare, ...applied } = await prepareApply(context);
  throughMatrices({
    ...applied,
    name,
    runbook: plan.text,
    inputs: [],
    faults: [],
    async check({ nodes, calls }) {
      assert.deepEqual(await compare(nodes), []);
      assert.deepEqual(nodes.map(({ reboots }) => reboots), reboots);
      const bootstraps = calls.filter(({ method, carriedOut }) =>
        method === "Bootstrap" && carriedOut
      );
      const isNew = applied.model?.bootstrapped === false;
      assert.equal(bootstraps.length, isNew ? 1 : 0);
    },
  });
}
