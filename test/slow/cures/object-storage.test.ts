/** Messages about object storage: each names a cure, which is applied and works. */
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { createObject } from "../../../src/files/object-storage/write.js";
import { writeWholeFile } from "../../../src/files/whole-file.js";
import { VectorIndex } from "../../../src/search/vector-index.js";
import { bucket, startObjectServer } from "../../files/object-storage/server.js";
import { type Case, claimCures } from "./cases.js";

const server = await startObjectServer();
const website = createServer((_, response) => response.end("<html></html>")).listen(0, "127.0.0.1");
afterAll(() => void website.close());

const model = "models/pearl-strings";
for (const name of readdirSync(model, { recursive: true, encoding: "utf8" }))
  for (const copy of ["own", "odd"])
    if (/\.\w+$/.test(name))
      await writeWholeFile(`${bucket}/${copy}/${name}`, readFileSync(join(model, name)));
await writeWholeFile(`${bucket}/odd/..\\evil.json`, "{}");
for (const name of ["x", "cut", "changing"])
  await writeWholeFile(`${bucket}/${name}.csv`, "name\nAcme\nToyota\n");
for (const name of ["busy", "killed"]) await createObject(`${bucket}/${name}.index/.pearl-upload`);

/** These objects change, or break off, as often as a command asks for them. */
const faults = { changing: 1, cut: 4 };
server.fault = (request) => {
  if (request.startsWith("GET /bucket/changing.csv") && faults.changing-- > 0) return "changed";
  return request.startsWith("GET /bucket/cut.csv") && faults.cut-- > 0 ? "cut" : undefined;
};

const encode = (input: string, rest = "-o out.csv") =>
  `pearl encode ${input} -c name -m pearl-strings -q ${rest}`;
const build = (output: string, rest = "") =>
  `pearl index build x.csv -c name -m pearl-strings -q -o ${output} ${rest}`;
const usage = (wrong: string, says: string, cured: string, before?: string): Case => ({
  ...{ files: { "x.csv": "name\nAcme\nToyota\n" }, wrong, says, cured },
  ...(before && { before }),
});
/** Removes objects, as other tools do. */
const remove = (...keys: readonly string[]): string => {
  const sdk =
    "require(require('path').resolve(process.env.ENTRY, '../../../node_modules/@aws-sdk/client-s3'))";
  const objects = JSON.stringify(keys.map((Key) => ({ Key })))
    .replaceAll("\\", "\\\\")
    .replaceAll('"', "'");
  const client = "new s3.S3Client({ region: 'us-east-1', forcePathStyle: true })";
  return `"$NODE" -e "const s3 = ${sdk}; ${client}.send(new s3.DeleteObjectsCommand({ Bucket: 'bucket', Delete: { Objects: ${objects} } }))"`;
};

claimCures({
  "an address without a key": usage(
    encode("s3://bucket"),
    "the address is incomplete. Write s3://bucket/key.",
    encode("s3://bucket/x.csv"),
  ),
  "an address with keys": usage(
    encode("s3://KEY:SECRET@bucket/x.csv"),
    "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and write s3://bucket/key.",
    encode("s3://bucket/x.csv"),
  ),
  "an object that is not there": usage(
    encode("s3://bucket/nox.csv"),
    "there is no such object. Check the bucket and the key.",
    encode("s3://bucket/x.csv"),
  ),
  "a folder that is not there": usage(
    "pearl encode x.csv -m s3://bucket/nown -q -o out.csv",
    "there is no such folder. Check the bucket and the beginning of the keys.",
    "pearl encode x.csv -m s3://bucket/own -q -o out.csv",
  ),
  "an object whose name leads out of its folder": usage(
    "pearl encode x.csv -m s3://bucket/odd -q -o out.csv",
    "is no name of a file. Rename the object.",
    `${remove("odd/..\\evil.json")} && pearl encode x.csv -m s3://bucket/odd -q -o out.csv`,
  ),
  "a bucket that is not there": usage(
    encode("s3://buckets/x.csv"),
    "there is no bucket buckets. Check its name and AWS_ENDPOINT_URL.",
    encode("s3://bucket/x.csv"),
  ),
  "wrong credentials": usage(
    `AWS_ACCESS_KEY_ID=wrong ${encode("s3://bucket/x.csv")}`,
    "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or choose a profile with AWS_PROFILE.",
    `AWS_ACCESS_KEY_ID=S3RVER AWS_SECRET_ACCESS_KEY=S3RVER ${encode("s3://bucket/x.csv")}`,
  ),
  "no credentials": usage(
    `unset AWS_ACCESS_KEY_ID; ${encode("s3://bucket/x.csv")}`,
    "no valid credentials (",
    `unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY; AWS_PROFILE=owner ${encode("s3://bucket/x.csv")}`,
  ),
  "credentials that have expired": usage(
    `AWS_SESSION_TOKEN=old ${encode("s3://bucket/x.csv")}`,
    "Log in again, such as with `aws sso login`.",
    encode("s3://bucket/x.csv"),
  ),
  "a user without rights": usage(
    `AWS_SESSION_TOKEN=guest ${encode("x.csv", "-o s3://bucket/out.csv")}`,
    "Ask its owner for s3:GetObject and s3:ListBucket to read and s3:PutObject to write, or choose other credentials with AWS_PROFILE.",
    `unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY; AWS_PROFILE=owner ${encode("x.csv", "-o s3://bucket/out.csv")}`,
  ),
  "a server that is not there": usage(
    `AWS_ENDPOINT_URL=http://127.0.0.1:1 ${encode("s3://bucket/x.csv")}`,
    "Check AWS_ENDPOINT_URL and the network.",
    encode("s3://bucket/x.csv"),
  ),
  "a server of something else": usage(
    `AWS_ENDPOINT_URL=http://127.0.0.1:${(website.address() as AddressInfo).port} ${encode("s3://bucket/x.csv")}`,
    "the server does not speak S3 (HTTP status 200). Correct AWS_ENDPOINT_URL.",
    encode("s3://bucket/x.csv"),
  ),
  "a connection that breaks": usage(
    encode("s3://bucket/cut.csv"),
    "Run the command once more.",
    encode("s3://bucket/cut.csv"),
  ),
  "an object that changes": usage(
    encode("s3://bucket/changing.csv"),
    "the object changed while it was read. Run the command again.",
    encode("s3://bucket/changing.csv"),
  ),
  "a cache that cannot be written": usage(
    "XDG_CACHE_HOME=x.csv pearl encode x.csv -m s3://bucket/own -q -o out.csv",
    "Make room, or set XDG_CACHE_HOME to a folder that can be written.",
    'XDG_CACHE_HOME="$PWD/cache" pearl encode x.csv -m s3://bucket/own -q -o out.csv',
  ),
  "a copy of a model that is damaged": usage(
    'export XDG_CACHE_HOME="$PWD/cache" && pearl encode x.csv -m s3://bucket/own -q -o out.csv && sed -i s/56/57/ cache/pearl/objects/*/own/config.json && pearl encode x.csv -m s3://bucket/own -q -o out.csv',
    "and pearl copies the model again.",
    'export XDG_CACHE_HOME="$PWD/cache" && rm -r cache/pearl/objects/*/own && pearl encode x.csv -m s3://bucket/own -q -o out.csv',
  ),
  "a copy of an index that is damaged": usage(
    'export XDG_CACHE_HOME="$PWD/cache" && echo { > cache/pearl/objects/*/copied.index/index.json && pearl search s3://bucket/copied.index acme -q',
    "and pearl copies the index again.",
    'export XDG_CACHE_HOME="$PWD/cache" && rm -r cache/pearl/objects/*/copied.index && pearl search s3://bucket/copied.index acme -q',
    `${build("s3://bucket/copied.index")} && export XDG_CACHE_HOME="$PWD/cache" && pearl search s3://bucket/copied.index acme -q`,
  ),
  "a folder with objects": usage(
    build("s3://bucket/twice.index"),
    "has objects: remove them, or name another folder for the output.",
    build("s3://bucket/other.index"),
    build("s3://bucket/twice.index"),
  ),
  "a folder that is being uploaded": usage(
    build("s3://bucket/killed.index"),
    "Wait until it has finished; after a kill, remove the folder.",
    `${remove("killed.index/.pearl-upload")} && ${build("s3://bucket/killed.index")}`,
  ),
  "a search in a folder that is being uploaded": usage(
    "pearl search s3://bucket/busy.index acme -q",
    "another run is uploading this folder, or was killed while it did.",
    `${remove("busy.index/.pearl-upload")} && ${build("s3://bucket/busy.index")} && pearl search s3://bucket/busy.index acme -q`,
  ),
  "a resumed output": usage(
    encode("x.csv", "-o s3://bucket/resumed.csv --resume"),
    "--resume continues a file, not an object in object storage: leave it out",
    encode("x.csv", "-o s3://bucket/resumed.csv"),
  ),
  "a resumed index": usage(
    build("s3://bucket/resumed.index", "--resume"),
    "--resume continues an index in a folder, not in object storage: leave it out",
    build("s3://bucket/resumed.index"),
  ),
  "an index that does not change": usage(
    "pearl index add s3://bucket/fixed.index x.csv -q",
    "Build a new one from the whole table with `pearl index build`.",
    build("s3://bucket/fixed-2.index"),
    build("s3://bucket/fixed.index"),
  ),
  "an index that is not there": usage(
    "pearl search s3://bucket/none.index acme -q",
    "s3://bucket/none.index is not an index. `pearl index build FILE -o s3://bucket/none.index` makes one.",
    `${build("s3://bucket/none.index")} && pearl search s3://bucket/none.index acme -q`,
  ),
});

it("an index in object storage cannot be made row by row", async () => {
  await expect(VectorIndex.create(`${bucket}/rows`, { dimension: 2 })).rejects.toThrow(
    "an index in object storage does not change.",
  );
});
