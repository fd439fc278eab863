/** What a language model is asked, what it replies, and what it is to the rest of the program. */

import type { CountTokens } from '../tokenCounter.js';

export interface ChatPrompt {
  readonly system?: string;
  readonly user: string;
  /** Most tokens that the model may write; default `REPLY_TOKENS`. */
  readonly maxTokens?: number;
  /** Default 1; another one asks a sampling server for another try. */
  readonly seed?: number;
}

export const REPLY_TOKENS = 512;

export interface ChatMessage {
  readonly role: 'system' | 'user';
  readonly content: string;
}

/** The conversation that every kind of model is given. */
export function messagesOf({ system, user }: ChatPrompt): ChatMessage[] {
  return [
    ...(system === undefined ? [] : [{ role: 'system', content: system } as const]),
    { role: 'user', content: user },
  ];
}

export interface ChatReply {
  readonly text: string;
  /** Tokens as the model's own tokenizer counted them, where it says so. */
  readonly promptTokens?: number;
  readonly completionTokens?: number;
  /** False where the model stopped at the token limit. */
  readonly complete: boolean;
  /** There if the server says that another model than the one named wrote it. */
  readonly servedBy?: string;
}

/** What fits into a model. */
export interface ModelWindow {
  /** Prompt and reply together, in its own tokens. */
  readonly tokens: number;
  /** Exact, where its tokenizer is at hand. */
  readonly countTokens?: CountTokens;
}

/** Prompt → text. */
export interface LanguageModel {
  /** Kind, endpoint and model: what records show. */
  readonly name: string;
  /** Undefined where the model does not say. Throws (exit 4) as `complete` does. */
  readonly window?: () => Promise<ModelWindow | undefined>;
  /** Throws (exit 4) where the model gives no usable reply. */
  complete(prompt: ChatPrompt): Promise<ChatReply>;
  /** Of a model that runs on this machine, without a server. */
  readonly close?: () => Promise<void>;
}

/** How models are reached. */
export interface ModelOptions {
  /** Also on another machine: the prompt's text then leaves this one. */
  readonly allowRemote?: boolean;
  /** Sent as a bearer token; never shown. */
  readonly apiKey?: string;
  /** Of one attempt, reading the reply included; default 1800 s, and 300 s until the first word: a small machine reads a long prompt slowly. */
  readonly timeoutMs?: number;
  /** Longest pause within a reply; default 60 s. */
  readonly idleMs?: number;
  /** All in all, as long as nothing was written; default 4. */
  readonly attempts?: number;
  /** Before the second attempt, doubled before each further one; default 500. */
  readonly backoffMs?: number;
  readonly signal?: AbortSignal;
  /** Sees each piece as it is written; what it sees is not checked yet. */
  readonly onText?: (piece: string) => void;
  /** OLLAMA_HOST, and where models are. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What a model's folder is relative to. */
  readonly cwd?: string;
}
