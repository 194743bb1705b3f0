/** `pearl encode --model org/name`: a hub model from a local server, then from the cache without a network. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type HubServer, startHubServer } from "../../encoder/hub-server.js";
import { makeOracleModel } from "../../encoder/oracle-model.js";
import { pearl } from "../run-here.js";

describe("a hub model by id", () => {
  let folder: string;
  let server: HubServer;
  const run = (id: string, environment: Record<string, string> = {}): ReturnType<typeof pearl> =>
    pearl(["encode", "in.txt", "-o", "out.jsonl", "--model", id, "-q"], {
      cwd: folder,
      environment: { HF_HOME: join(folder, "cache"), HF_ENDPOINT: server.endpoint, ...environment },
    });

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "pearl-hub-encode-"));
    writeFileSync(join(folder, "in.txt"), "t200 t201\nt300\n");
    const model = makeOracleModel("encoder.folded.onnx");
    const files = readdirSync(model, { recursive: true, encoding: "utf8" })
      .filter((name) => statSync(join(model, name)).isFile())
      .map((name) => [name, readFileSync(join(model, name))] as const);
    server = await startHubServer({
      "pearl/oracle": { commit: "a".repeat(40), files: Object.fromEntries(files) },
    });
  });
  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("is downloaded once, then used without the network", async () => {
    const online = await run("pearl/oracle");
    expect(online).toMatchObject({ code: 0, stdout: expect.stringMatching(/2 rows × 32/) });
    const first = readFileSync(join(folder, "out.jsonl"), "utf8");
    const asked = server.requests.length;
    const offline = await run("pearl/oracle", { HF_HUB_OFFLINE: "1", HF_ENDPOINT: "http://127.0.0.1:9" });
    expect(offline.code, offline.stderr).toBe(0);
    expect(server.requests).toHaveLength(asked);
    expect(readFileSync(join(folder, "out.jsonl"), "utf8")).toBe(first);
  });

  it.each([
    ["pearl/nothing", {}, /pearl\/nothing/],
    ["pearl/elsewhere", { HF_ENDPOINT: "http://127.0.0.1:9" }, /network|reach|connect/i],
  ])("fails with one clear line if it is not available: %s", async (id, environment, message) => {
    rmSync(join(folder, "out.jsonl"), { force: true });
    const { code, stderr } = await run(id, environment as Record<string, string>);
    expect(code).toBe(1);
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(readdirSync(folder)).not.toContain("out.jsonl");
  });
});
