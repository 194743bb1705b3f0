/** The Job of examples/shards has the fields that Kubernetes requires, and none that it does not know. */
import { readFileSync } from "node:fs";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";

const count = v.pipe(v.number(), v.integer(), v.minValue(1));
/** A name of DNS (RFC 1123), as the API demands of names. */
const name = v.pipe(v.string(), v.regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/), v.maxLength(63));
const quantity = v.pipe(v.string(), v.regex(/^\d+(\.\d+)?(m|[kMGT]i?)?$/));
const resources = v.strictObject({ cpu: v.optional(quantity), memory: v.optional(quantity) });

/** What this example uses of batch/v1 Job: https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/job-v1/ */
const job = v.pipe(
  v.strictObject({
    apiVersion: v.literal("batch/v1"),
    kind: v.literal("Job"),
    metadata: v.strictObject({ name }),
    spec: v.strictObject({
      completionMode: v.literal("Indexed"),
      completions: count,
      parallelism: count,
      backoffLimit: count,
      template: v.strictObject({
        spec: v.strictObject({
          restartPolicy: v.picklist(["Never", "OnFailure"]),
          containers: v.pipe(
            v.array(
              v.strictObject({
                name,
                image: v.pipe(v.string(), v.nonEmpty()),
                workingDir: v.optional(v.string()),
                command: v.array(v.string()),
                args: v.array(v.string()),
                resources: v.strictObject({ requests: resources, limits: resources }),
                volumeMounts: v.array(
                  v.strictObject({ name, mountPath: v.pipe(v.string(), v.startsWith("/")) }),
                ),
              }),
            ),
            v.minLength(1),
          ),
          volumes: v.array(
            v.strictObject({ name, persistentVolumeClaim: v.strictObject({ claimName: name }) }),
          ),
        }),
      }),
    }),
  }),
  v.check(({ spec: { template } }) => {
    const volumes = template.spec.volumes.map(({ name }) => name);
    return template.spec.containers.every(({ volumeMounts }) =>
      volumeMounts.every(({ name }) => volumes.includes(name)),
    );
  }, "a mount names no volume"),
);

describe("the Kubernetes Job", () => {
  const text = readFileSync("examples/shards/kubernetes.yaml", "utf8");

  it("is valid, and has a pod for each shard", () => {
    const { spec } = v.parse(job, parse(text));
    const [script] = spec.template.spec.containers[0].args;
    expect(script).toContain(`--shard $((JOB_COMPLETION_INDEX + 1))/${spec.completions} `);
  });

  it("would not be valid with a misspelt or missing field", () => {
    const broken = [
      text.replace("completionMode:", "completionmode:"),
      text.replace("mountPath: /data", "path: /data"),
      text.replace("- name: tables\n              mountPath", "- name: table\n              mountPath"),
      text.replace("restartPolicy: Never", "restartPolicy: Always"),
      stringify({ ...parse(text), apiVersion: "v1" }),
    ];
    for (const one of broken) {
      expect(one).not.toBe(text);
      expect(v.safeParse(job, parse(one)).success).toBe(false);
    }
  });
});
