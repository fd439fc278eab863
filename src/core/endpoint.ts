/** The address of a server that the user named → whether text may go there; an error of the network → what failed, in plain words, and whether it is tried again. */

import { setTimeout as sleep } from 'node:timers/promises';
import { ExitCode, ToolError, systemCode } from './errors.js';

/** This machine by name or by an address that never leaves it. */
export function isLoopback(baseUrl: string): boolean {
  const { hostname } = new URL(baseUrl);
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/u.test(hostname);
}

/** Throws (exit 2) for another machine that was not allowed; `what` would go there. */
export function refuseRemote(
  baseUrl: string,
  {
    allowRemote,
    what = 'the text of your documents',
  }: { readonly allowRemote?: boolean | undefined; readonly what?: string },
): void {
  if (allowRemote === true || isLoopback(baseUrl)) return;
  throw new ToolError(ExitCode.usage, `${new URL(baseUrl).host} is another machine: ${what} would go there`, {
    hint: 'add --allow-remote if your institution permits that',
  });
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

/** What went wrong with one attempt. */
export interface Failure {
  /** Without any of the prompt's or the reply's words. */
  readonly reason: string;
  readonly hint?: string;
  /** Another attempt may succeed. */
  readonly isPassing: boolean;
  readonly pauseMs?: number;
}

/** Another attempt may be answered. */
export const RETRIED_STATUS = new Set([408, 425, 429, 500, 502, 503, 504, 529]);

/** A server that asks for a longer pause than this has to wait for the next run. */
const MAX_PAUSE_MS = 30_000;

export interface AttemptOptions {
  /** All in all, where the failure may pass; default 4. */
  readonly attempts?: number;
  /** Before the second attempt, doubled before each further one; default 500. */
  readonly backoffMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Attempts until one succeeds. Throws `error` of the last failure, with `tries` to be said of it; the signal's reason when that is aborted. */
export async function tryAgain<Reply>(
  attempt: () => Promise<{ readonly reply: Reply } | Failure>,
  {
    attempts = 4,
    backoffMs = 500,
    signal,
    error,
  }: AttemptOptions & { error: (failure: Failure, tries: string) => ToolError },
): Promise<Reply> {
  for (let count = 1; ; count++) {
    signal?.throwIfAborted();
    const outcome = await attempt();
    if ('reply' in outcome) return outcome.reply;
    const pauseMs = Math.max(outcome.pauseMs ?? 0, backoffMs * 2 ** (count - 1));
    if (!outcome.isPassing || count >= attempts || pauseMs > MAX_PAUSE_MS)
      throw error(outcome, count === 1 ? '' : ` (${count} attempts)`);
    await sleep(pauseMs, undefined, signal === undefined ? {} : { signal });
  }
}

/** Aborts when the limit is reached or the user interrupts. */
export function eitherOf(limit: AbortSignal, signal: AbortSignal | undefined): AbortSignal {
  return signal === undefined ? limit : AbortSignal.any([limit, signal]);
}

/** What kept a request from being answered at all. */
export function networkFailure(error: unknown): Failure {
  const { cause } = error as { readonly cause?: unknown };
  const code = systemCode(cause) ?? systemCode(error);
  if (code === 'ECONNREFUSED')
    return {
      reason: 'is not running there',
      hint: 'start the server, or correct its port',
      isPassing: false,
    };
  if (code === 'ENOTFOUND') return { reason: 'cannot be found', hint: 'check its name', isPassing: false };
  if (/redirect/iu.test(String((cause as { message?: unknown } | undefined)?.message)))
    return { reason: 'redirects to another address', hint: 'name that address instead', isPassing: false };
  return { reason: `broke the connection off${code === undefined ? '' : ` (${code})`}`, isPassing: true };
}
