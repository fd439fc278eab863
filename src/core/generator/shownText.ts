/** A generator's name → the generator, whose words run over one line of the terminal while it writes, and are gone when it has ended. */

import { EXTRACTIVE, modelOptions, openGenerator, type Generator } from '../generator.js';
import type { Output } from '../output.js';

export interface GeneratorFlags {
  readonly generator?: string;
  readonly allowRemote?: boolean;
  /** Seconds. */
  readonly timeout?: number;
}

const CLEAR_LINE = '\r\u001b[2K';
const LABEL = 'Writing: ';
/** Of a terminal that does not say. */
const COLUMNS = 80;

/**
 * What is shown is not checked yet, so nothing of it stays; without a terminal, or with --quiet, nothing is shown.
 * Throws as `openGenerator` does.
 */
export function openShownGenerator(flags: GeneratorFlags, { io, quiet }: Output): Generator {
  const options = modelOptions(flags, io);
  const name = flags.generator ?? EXTRACTIVE;
  const { stderr } = io;
  if (quiet || stderr.isTTY !== true || io.env['TERM'] === 'dumb') return openGenerator(name, options);
  let text = '';
  const model = openGenerator(name, {
    ...options,
    onText(piece) {
      const room = Math.max(1, (stderr.columns ?? COLUMNS) - LABEL.length - 1);
      text = [...lineOf(text + piece)].slice(-room).join('');
      stderr.write(`${CLEAR_LINE}${LABEL}${text}`);
    },
  });
  return (
    model && {
      ...model,
      async complete(prompt) {
        text = '';
        stderr.write(`${CLEAR_LINE}${LABEL}`);
        try {
          return await model.complete(prompt);
        } finally {
          stderr.write(CLEAR_LINE);
        }
      },
    }
  );
}

/** A model could write what moves the cursor or hides text. */
function lineOf(text: string): string {
  return text.replace(/[\p{C}\s]+/gu, ' ');
}
