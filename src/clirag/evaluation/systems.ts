/** `--generator`, `--ablate` and `--notes` → the systems that are compared, each a way to a note for a visit. */

import { ExitCode, ToolError } from '../../core/errors.js';
import { EXTRACTIVE, openGenerator } from '../../core/generator.js';
import type { ModelOptions } from '../../core/generator/chat.js';
import type { SoapNoteOptions } from '../soapNote.js';

/** What is left out, with the options that do so. */
export const ABLATIONS = {
  sections: { flat: true },
  local: { useLocal: false },
  bm25: { useKeywords: false },
  rerank: { useRerank: false },
  dedup: { useDedup: false },
  prior: { prior: 'none' },
} as const satisfies Readonly<Record<string, Partial<SoapNoteOptions>>>;

export type AblationName = keyof typeof ABLATIONS;

/** The clinician's first note handed on from visit to visit as it is: what copying forward scores. */
export const COPY_FORWARD = 'copy-forward';

export type System =
  | {
      readonly kind: 'generator' | 'ablation';
      readonly name: string;
      /** The generator's own name. */
      readonly generator: string;
      readonly options: Partial<SoapNoteOptions>;
    }
  | { readonly kind: 'copy'; readonly name: typeof COPY_FORWARD }
  | { readonly kind: 'notes'; readonly name: string; readonly folder: string };

export function isAblation(name: string): name is AblationName {
  return Object.hasOwn(ABLATIONS, name);
}

/** Ablations are of the first generator that writes. Throws (exit 2) where nothing would write. */
export function chooseSystems(asked: {
  generators: readonly string[];
  ablations: readonly AblationName[];
  notes: readonly string[];
  client: ModelOptions;
}): System[] {
  const writers = asked.generators
    .filter((name) => name !== COPY_FORWARD)
    .map((name): Extract<System, { kind: 'generator' | 'ablation' }> => {
      const generator = openGenerator(name, asked.client);
      return {
        kind: 'generator',
        name: generator?.name ?? EXTRACTIVE,
        generator: name,
        options: { generator },
      };
    });
  const [first] = writers;
  if (asked.ablations.length > 0 && first === undefined)
    throw new ToolError(ExitCode.usage, '--ablate needs a generator that writes', {
      hint: 'add --generator extractive',
    });
  const ablated = asked.ablations.map((name): System => ({
    kind: 'ablation',
    name: `no-${name}`,
    generator: first?.generator ?? '',
    options: { ...first?.options, ...ABLATIONS[name] },
  }));
  const copies = asked.generators.filter((name) => name === COPY_FORWARD);
  return [
    ...writers,
    ...asked.notes.map((folder): System => ({
      kind: 'notes',
      name:
        folder
          .replace(/[\\/]+$/u, '')
          .split(/[\\/]/u)
          .at(-1) ?? folder,
      folder,
    })),
    ...copies.map((): System => ({ kind: 'copy', name: COPY_FORWARD })),
    ...ablated,
  ];
}
