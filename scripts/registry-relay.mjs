/**
 * The npm registry for a network namespace that reaches nothing else:
 *
 *     node scripts/registry-relay.mjs serve SOCKET REGISTRY    outside it: a proxy to this one host, on a unix socket
 *     node scripts/registry-relay.mjs run SOCKET COMMAND ...   in it: shows that other hosts are closed, then runs npm
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer } from "node:net";

const [role, socket, ...rest] = process.argv.slice(2);
if (role === "serve") serve(new URL(rest[0]));
else process.exitCode = await run(rest);

const addressOf = ({ protocol, hostname, port }) =>
  `${hostname}:${port || (protocol === "https:" ? "443" : "80")}`;

/** A proxy that tunnels to the registry and refuses every other host. */
function serve(registry) {
  createServer((client) => {
    client.once("data", (head) => {
      const [method, target] = head.toString("latin1").split(" ", 2);
      const isTunnel = method === "CONNECT";
      const address = isTunnel ? target : addressOf(new URL(target));
      if (address !== addressOf(registry)) return client.end("HTTP/1.1 403 Forbidden\r\n\r\n");
      const [, host, port] = /^(.*):(\d+)$/.exec(address);
      const server = connect(Number(port), host.replace(/^\[|\]$/g, ""));
      if (isTunnel) server.once("connect", () => client.write("HTTP/1.1 200 OK\r\n\r\n"));
      else server.write(head);
      join(client, server);
    });
  }).listen(socket);
}

/** Copies both ways until one side ends. */
function join(client, server) {
  client.pipe(server).pipe(client);
  client.on("error", () => server.destroy());
  server.on("error", () => client.destroy());
}

/** Runs a command with the relay as its proxy. @returns its exit code */
async function run([command, ...values]) {
  const relay = createServer((client) => join(client, connect(socket)));
  await once(relay.listen(0, "127.0.0.1"), "listening");
  const { port } = relay.address();
  await proveClosed(port);
  const proxy = `http://127.0.0.1:${port}`;
  const names = ["HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy"];
  const settings = { ...Object.fromEntries(names.map((name) => [name, proxy])), NO_PROXY: "", no_proxy: "" };
  const child = spawn(command, values, { stdio: "inherit", env: { ...process.env, ...settings } });
  const [code] = await once(child, "exit");
  relay.close();
  return code ?? 1;
}

/** Throws unless an address of the outside has no route, and the relay refuses it. RFC 5737 keeps it for examples. */
async function proveClosed(port) {
  const outside = "192.0.2.1";
  const error = await once(connect(443, outside), "connect").then(
    () => new Error("a connection opened"),
    (cause) => cause,
  );
  if (error.code !== "ENETUNREACH") throw new Error(`other hosts can be reached: ${error.message}`);
  const asked = connect(port, "127.0.0.1");
  asked.write(`CONNECT ${outside}:443 HTTP/1.1\r\n\r\n`);
  const [answer] = await once(asked, "data");
  if (!String(answer).includes("403")) throw new Error(`the relay does not refuse other hosts: ${answer}`);
  process.stdout.write(`other hosts: ${error.code}, and refused by the relay\n`);
}
