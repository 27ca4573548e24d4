// A client of the MCP server that a test drives: reads commands as lines of JSON, prints events as lines of JSON.
//   {"id":1,"do":"listTools"}            a command
//   {"id":1,"ok":…} or {"id":1,"failed":…}  its outcome
//   {"sent":…} and {"received":…}         each message of the protocol
//   {"progress":…,"of":1}                  progress of a command
// `node client.mjs modern` uses the client of revision 2026-07-28, `node client.mjs legacy` the one of 2025-11-25.

import { createInterface } from 'node:readline';

const modern = process.argv[2] === 'modern';
const info = { name: 'tower-tests', version: '1.0.0' };
const TASKS = 'io.modelcontextprotocol/tasks';

const { Client, StdioClientTransport, StreamableHTTPClientTransport } = modern
  ? { ...(await import('@modelcontextprotocol/client')), ...(await import('@modelcontextprotocol/client/stdio')) }
  : {
      ...(await import('@modelcontextprotocol/sdk/client/index.js')),
      ...(await import('@modelcontextprotocol/sdk/client/stdio.js')),
      ...(await import('@modelcontextprotocol/sdk/client/streamableHttp.js'))
    };

const print = (event) => process.stdout.write(JSON.stringify(event) + '\n');

let client, transport, session, negotiated;
let rawRequests = 0;
const answers = new Map();
const aborts = new Map();
const executions = new Map();

/** Prints every message of a transport, and takes the answers to raw requests out. */
function tap(transport) {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    print({ sent: message });
    return send(message, options);
  };
  // The handler of a client may call the one that was there before.
  let handler;
  const seen = new WeakSet();
  Object.defineProperty(transport, 'onmessage', {
    set: (next) => (handler = next),
    get: () => {
      const current = handler;
      return current && ((message, extra) => {
        if (!seen.has(message)) {
          seen.add(message);
          print({ received: message });
          negotiated ??= message.result?.protocolVersion;
        }
        const answer = answers.get(message.id);
        return answer ? answer(message) : current(message, extra);
      });
    }
  });
  return transport;
}

/** Sends a request past the client, which has no types for tasks. */
async function raw(request, options) {
  const id = `raw-${++rawRequests}`;
  const answered = new Promise((resolve) => answers.set(id, resolve));
  try {
    await transport.send({ jsonrpc: '2.0', id, ...request }, { requestSignal: options?.signal });
    const { result, error } = await answered;
    return error ? { kind: 'error', error } : { kind: 'result', result };
  } finally {
    answers.delete(id);
  }
}

const settled = async (execution) => {
  const { outcome } = await execution.settle();
  return { status: outcome.status, result: outcome.result, error: outcome.error?.message };
};

const commands = {
  async connect({ url, token, command, args, env }) {
    transport = tap(
      url
        ? new StreamableHTTPClientTransport(new URL(url), {
            requestInit: { headers: { Authorization: `Bearer ${token}` } }
          })
        : new StdioClientTransport({ command, args, env, stderr: 'ignore' })
    );
    client = new Client(info, modern ? { versionNegotiation: { mode: 'auto' } } : {});
    await client.connect(transport);
    if (modern) {
      const { createTaskSessionFromClient } = await import('@modelcontextprotocol/ext-tasks/client');
      session = createTaskSessionFromClient(client, {
        endpointId: 'tower',
        rawDispatch: raw,
        v2RequestFraming: { protocolVersion: '2026-07-28', clientInfo: info, clientCapabilities: {} }
      });
    }
    return {
      revision: modern ? client.getNegotiatedProtocolVersion() : negotiated,
      server: client.getServerVersion(),
      capabilities: client.getServerCapabilities(),
      instructions: client.getInstructions()
    };
  },
  listTools: async () => (await client.listTools()).tools,
  listResources: async () => (await client.listResources()).resources,
  listPrompts: async () => (await client.listPrompts()).prompts,
  readResource: ({ uri }) => client.readResource({ uri }),
  getPrompt: ({ name, arguments: given }) => client.getPrompt({ name, arguments: given }),
  callTool({ name, arguments: given }, id) {
    const abort = new AbortController();
    aborts.set(id, abort);
    const options = { signal: abort.signal, onprogress: (progress) => print({ progress, of: id }) };
    const params = { name, arguments: given };
    return modern ? client.callTool(params, options) : client.callTool(params, undefined, options);
  },
  abort: async ({ of }) => aborts.get(of).abort('not needed any more'),
  async startTask({ name, arguments: given }) {
    const execution = await session.callTool(name, given);
    if (execution.kind === 'immediate') {
      return { kind: execution.kind, outcome: await settled(execution) };
    }
    executions.set(execution.handle.taskId, execution);
    return { kind: execution.kind, taskId: execution.handle.taskId };
  },
  settleTask: ({ taskId }) => settled(executions.get(taskId)),
  getTask: ({ taskId }) => session.task(taskId).snapshot(),
  cancelTask: ({ taskId }) => session.task(taskId).cancel(),
  declared: async () => TASKS in (client.getServerCapabilities().extensions ?? {}),
  close: async () => client.close()
};

const failure = ({ name, message, code, data }) => ({ name, message, code, data });

for await (const line of createInterface({ input: process.stdin })) {
  const { id, do: name, args } = JSON.parse(line);
  Promise.resolve()
    .then(() => commands[name](args ?? {}, id))
    .then((ok) => print({ id, ok: ok ?? null }), (error) => print({ id, failed: failure(error) }));
}
await session?.close();
await client?.close();
