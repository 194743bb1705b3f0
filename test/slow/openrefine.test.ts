/** OpenRefine, headless, reconciles a column of a project with `pearl serve`, takes a judgement, and extends by a column. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { entry, pearl } from "../cli/run-cli.js";

const program = "/usr/bin/openrefine";
const folder = mkdtempSync(join(tmpdir(), "pearl-openrefine-"));
const running: ChildProcess[] = [];
afterAll(() => {
  // OpenRefine's script starts Java in a process group of its own
  for (const { pid } of running) {
    try {
      process.kill(-pid!, "SIGKILL");
    } catch {}
  }
  rmSync(folder, { recursive: true, force: true });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts a program in a process group of its own, and waits until the address answers. */
async function start(command: string, parameters: readonly string[], address: string): Promise<void> {
  const child = spawn(command, parameters, {
    detached: true,
    stdio: "ignore",
    env: { ...process.env, HOME: folder },
  });
  running.push(child);
  for (let tries = 0; tries < 300; tries++) {
    const answer = await fetch(address).catch(() => undefined);
    if (answer?.ok) return;
    await sleep(200);
  }
  throw new Error(`${command} did not answer at ${address}`);
}

interface Recon {
  readonly j: string;
  readonly m?: { readonly id: string };
  readonly c?: readonly { readonly id: string; readonly name: string; readonly score: number }[];
}

/** The commands of OpenRefine's own HTTP interface. */
function openRefine(url: string) {
  const token = async (): Promise<string> => {
    const answer = await fetch(`${url}/command/core/get-csrf-token`);
    return ((await answer.json()) as { token: string }).token;
  };
  const send = async (name: string, body: FormData | URLSearchParams): Promise<Response> => {
    const address = `${url}/command/core/${name}?csrf_token=${encodeURIComponent(await token())}`;
    return fetch(address, { method: "POST", body, redirect: "manual" });
  };
  return {
    async createProject(name: string, csv: string): Promise<string> {
      const form = new FormData();
      form.append("project-name", name);
      form.append("project-file", new Blob([csv], { type: "text/csv" }), "suppliers.csv");
      const answer = await send("create-project-from-upload", form);
      return /project=(\d+)/.exec(answer.headers.get("location") ?? "")?.[1] ?? "";
    },
    /** Runs a command on a project, and waits for the process that it starts. */
    async run(project: string, name: string, fields: Readonly<Record<string, string>>): Promise<void> {
      const engine = JSON.stringify({ facets: [], mode: "row-based" });
      const answer = await send(name, new URLSearchParams({ project, engine, ...fields }));
      const { code, ...rest } = (await answer.json()) as { code: string };
      if (code !== "pending" && code !== "ok")
        throw new Error(`${name}: ${JSON.stringify({ code, ...rest })}`);
      for (;;) {
        const state = await fetch(`${url}/command/core/get-processes?project=${project}`);
        const { processes, exceptions } = (await state.json()) as {
          processes: unknown[];
          exceptions?: unknown[];
        };
        if (exceptions !== undefined) throw new Error(JSON.stringify(exceptions));
        if (processes.length === 0) return;
        await sleep(200);
      }
    },
    /** Values of a column, and what each cell was reconciled to. */
    async column(
      project: string,
      at: number,
    ): Promise<{ value: string | undefined; recon: Recon | undefined }[]> {
      const answer = await fetch(`${url}/command/core/get-rows?project=${project}&start=0&limit=100`);
      const { rows, pool } = (await answer.json()) as {
        rows: { cells: ({ v: string; r?: string } | null)[] }[];
        pool: { recons: Record<string, Recon> };
      };
      return rows.map(({ cells }) => {
        const cell = cells[at];
        return { value: cell?.v, recon: cell?.r === undefined ? undefined : pool.recons[cell.r] };
      });
    },
  };
}

const suppliers = `supplier,place
toyota motors corp,Toyota
Siemens AG,Munich
Bakery Miller,Ulm
`;

describe("OpenRefine", () => {
  it("reconciles a column with an index, takes a judgement, and adds a column of the index", async ({
    skip,
  }) => {
    if (!existsSync(program)) skip("OpenRefine (Debian's openrefine) is not installed");
    const index = join(folder, "companies.index");
    await pearl(["index", "build", "data/companies.csv", "-c", "name", "--key", "id", "-o", index]);
    const [port, refinePort] = [await freePort(), await freePort()];
    const service = `http://127.0.0.1:${port}/reconcile/companies`;
    await start(process.execPath, [entry, "serve", index, "--port", `${port}`], service);
    const data = join(folder, "refine");
    mkdirSync(data);
    const url = `http://127.0.0.1:${refinePort}`;
    const options = ["-p", `${refinePort}`, "-d", data, "-m", "512M", "-x", "refine.headless=true"];
    await start(program, options, `${url}/command/core/get-version`);
    const refine = openRefine(url);
    const manifest = (await (await fetch(service)).json()) as Record<
      "identifierSpace" | "schemaSpace",
      string
    >;
    const { identifierSpace, schemaSpace } = manifest;

    const project = await refine.createProject("suppliers", suppliers);
    const config = {
      ...{ mode: "standard-service", service, identifierSpace, schemaSpace, autoMatch: true, limit: 5 },
      type: { id: "row", name: "companies" },
      columnDetails: [{ column: "place", propertyName: "city", propertyID: "city" }],
    };
    await refine.run(project, "reconcile", { columnName: "supplier", config: JSON.stringify(config) });
    const [toyota, siemens, bakery] = (await refine.column(project, 0)).map(({ recon }) => recon!);
    expect(siemens).toMatchObject({ j: "matched", m: { id: "3" } });
    expect(toyota).toMatchObject({
      j: "none",
      c: [{ id: "1", name: "Toyota Motor Corporation" }, {}, {}, {}, {}],
    });
    expect(toyota.c![0].score).toBeGreaterThan(90);
    expect(bakery.j).toBe("none");
    expect(bakery.c?.[0]?.score ?? 0).toBeLessThan(50);

    const judgement = { judgment: "matched", id: "1", name: "Toyota Motor Corporation", types: "row" };
    const cell = { row: "0", cell: "0", identifierSpace, schemaSpace, service };
    await refine.run(project, "recon-judge-one-cell", { ...cell, ...judgement });
    const extension = JSON.stringify({ properties: [{ id: "city", name: "city" }] });
    const where = { baseColumnName: "supplier", columnInsertIndex: "1", endpoint: service };
    await refine.run(project, "extend-data", { ...where, identifierSpace, schemaSpace, extension });
    const cities = (await refine.column(project, 2)).map(({ value }) => value);
    expect(cities).toEqual(["Toyota", "Munich", undefined]);
  });
});
