/** The address of a server that the user named → whether text may go there. */

import { ExitCode, ToolError } from './errors.js';

/** This machine by name or by an address that never leaves it. */
export function isLoopback(baseUrl: string): boolean {
  const { hostname } = new URL(baseUrl);
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/u.test(hostname);
}

/** Throws (exit 2) for another machine that was not allowed. */
export function refuseRemote(baseUrl: string, { allowRemote }: { readonly allowRemote?: boolean }): void {
  if (allowRemote === true || isLoopback(baseUrl)) return;
  throw new ToolError(
    ExitCode.usage,
    `${new URL(baseUrl).host} is another machine: the text of your documents would go there`,
    { hint: 'add --allow-remote if your institution permits that' },
  );
}

/** Throws (exit 2) for an address that is none (`form` shows one), or that has a password in it. */
export function parseAddress(address: string, { name, form }: { name: string; form: string }): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/u.test(url.protocol)) {
    throw new ToolError(ExitCode.usage, `"${withoutPassword(name)}" names no endpoint`, {
      hint: `write it as ${form}`,
    });
  }
  if (url.username !== '' || url.password !== '') {
    throw new ToolError(ExitCode.usage, 'an endpoint is named without user and password', {
      hint: 'put the key into the environment variable LABSAGE_API_KEY',
    });
  }
  return url;
}

function withoutPassword(name: string): string {
  return name.replace(/\/\/[^/@#]*@/u, '//…@');
}
