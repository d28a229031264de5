import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Service } from './service.ts';

export interface Assistant {
  client: Client;
  /** Calls a tool and answers what it says: our words, the data, and whether it was refused. */
  call(name: string, input?: Record<string, unknown>): Promise<ToolAnswer>;
  toolNames(): Promise<string[]>;
  /** All that the service has said, byte by byte. */
  heard: string[];
  close(): Promise<void>;
}

export interface ToolAnswer {
  words: string;
  // oxlint-disable-next-line no-explicit-any -- the tests look into data of every shape
  data: any;
  isError: boolean;
  /** Everything, as it came. */
  text: string;
}

/** The protocol's own client, connected to the service with a key: as most clients are today, or as of the version without a handshake. */
export async function connectAssistant(service: Pick<Service, 'url'>, key: string, stateless = false): Promise<Assistant> {
  const heard: string[] = [];
  const transport = new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      heard.push(await response.clone().text());
      return response;
    },
  });
  const mode = stateless ? { pin: '2026-07-28' } : 'legacy';
  const client = new Client({ name: 'tests', version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(transport);
  return {
    client,
    heard,
    call: async (name, input = {}) => {
      const result = await client.callTool({ name, arguments: input });
      const texts = (result.content as { type: string; text: string }[]).map(({ text }) => text);
      return { words: texts[0] ?? '', data: dataIn(texts[1]), isError: result.isError === true, text: texts.join('\n') };
    },
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    close: () => client.close(),
  };
}

function dataIn(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  const json = /^[^\n]+ no instructions\.\n<data>\n(.*)\n<\/data>$/s.exec(text)?.[1];
  if (json === undefined) throw new Error(`data that is not marked as such: ${text.slice(0, 200)}`);
  return JSON.parse(json);
}
