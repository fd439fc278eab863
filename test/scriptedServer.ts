/** What to reply to each request → a local OpenAI-compatible server that does so and remembers what it was asked. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Asked {
  readonly system: string;
  readonly user: string;
  readonly model: string;
  readonly seed: number;
  readonly temperature: number;
  readonly headers: IncomingMessage['headers'];
}

/** A text is a completion; a function writes the response itself. */
export type Scripted = string | ((response: ServerResponse) => void);

export interface ScriptedServer {
  /** `http://127.0.0.1:PORT/v1`. */
  readonly url: string;
  readonly asked: readonly Asked[];
  close(): Promise<void>;
}

/** `script` is called once a request, with the number of requests before it. */
export async function scriptedServer(
  script: (asked: Asked, before: number) => Scripted,
): Promise<ScriptedServer> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      const { messages, model, seed, temperature } = JSON.parse(body) as {
        messages: { role: string; content: string }[];
        model: string;
        seed: number;
        temperature: number;
      };
      const contentOf = (role: string): string => messages.find((one) => one.role === role)?.content ?? '';
      const { headers } = request;
      const one = { system: contentOf('system'), user: contentOf('user'), model, seed, temperature, headers };
      const reply = script(one, asked.length);
      asked.push(one);
      if (typeof reply === 'string') complete(response, reply);
      else reply(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

export function complete(response: ServerResponse, text: string, finish = 'stop'): void {
  response.setHeader('content-type', 'application/json');
  response.end(
    JSON.stringify({
      choices: [{ message: { role: 'assistant', content: text }, finish_reason: finish }],
      usage: { prompt_tokens: 11, completion_tokens: 3 },
    }),
  );
}

export function fail(status: number, body = '', headers: Record<string, string> = {}): Scripted {
  return (response) => {
    response.writeHead(status, headers);
    response.end(body);
  };
}
