/** An audit record + the index of today → the same answer again, or which document, model or setting differs. */

import type { AuditRecord } from '../../core/auditLog.js';
import { ExitCode, ToolError } from '../../core/errors.js';
import { packageVersion } from '../../core/version.js';
import type { EmbedderFingerprint } from '../../core/types.js';
import type { AnswerOptions } from '../answer.js';
import type { AnswerSettings } from './auditEntry.js';
import type { Manifest } from '../index/indexFormat.js';
import { manifestHash, readKeptManifest } from '../index/keptManifest.js';
import { describeFingerprint, sameFingerprint, type SopIndex } from '../sopIndex.js';

export interface ReplayDifference {
  readonly kind: 'document' | 'section' | 'model' | 'setting' | 'program';
  readonly name: string;
  readonly then: string;
  readonly now: string;
}

/** A record's settings, as far as it holds them: records of earlier versions hold fewer. */
export type RecordedSettings = Partial<AnswerSettings>;

/** Throws (exit 2) for a record that is no answer. */
export function recordedSettings(record: AuditRecord): RecordedSettings {
  if (record.command !== 'ask') {
    throw new ToolError(
      ExitCode.usage,
      `record ${record.id} is of ${record.command}: only answers can be replayed`,
      {
        hint: 'list them with: labsage audit list',
      },
    );
  }
  return record.settings;
}

/** What asks the recorded question as it was asked: the same day decides which versions are in force. */
export function replayOptions(record: AuditRecord): AnswerOptions {
  const { k, mode, preset, filters, minConfidence, today } = recordedSettings(record);
  return {
    today: today ?? record.timeLocal.slice(0, 10),
    ...(typeof k === 'number' ? { k } : {}),
    ...(mode === undefined ? {} : { mode }),
    ...(preset === undefined ? {} : { preset }),
    ...(filters === undefined ? {} : { filters }),
    ...(minConfidence === undefined ? {} : { minConfidence }),
  };
}

/** All that the record says of its making and that is otherwise now. `logFolder` holds the kept manifests. */
export async function replayDifferences(
  record: AuditRecord,
  index: SopIndex,
  { logFolder }: { logFolder: string },
): Promise<ReplayDifference[]> {
  const { manifest } = index;
  const settings = recordedSettings(record);
  const differences: ReplayDifference[] = [];
  if (settings.embedder !== undefined && !sameFingerprint(settings.embedder, manifest.embedder)) {
    differences.push(modelDifference(settings.embedder, manifest.embedder));
  }
  for (const [name, then] of Object.entries(settings.chunking ?? {})) {
    const now = manifest.chunking[name as keyof Manifest['chunking']];
    if (name !== 'producer' && then !== now)
      differences.push({ kind: 'setting', name: `chunking ${name}`, then: String(then), now: String(now) });
  }
  if (settings.program !== undefined && settings.program !== packageVersion()) {
    differences.push({ kind: 'program', name: 'labsage', then: settings.program, now: packageVersion() });
  }
  const isSameIndex = settings.index === manifestHash(manifest);
  if (isSameIndex) return differences;
  const kept = settings.index === undefined ? undefined : await readKeptManifest(logFolder, settings.index);
  return [
    ...differences,
    ...(kept === undefined ? changedSections(record, index) : changedDocuments(kept, manifest)),
  ];
}

function modelDifference(then: EmbedderFingerprint, now: EmbedderFingerprint): ReplayDifference {
  return { kind: 'model', name: 'embedder', then: describeFingerprint(then), now: describeFingerprint(now) };
}

/** By the whole corpus: a document that was added can push others out of an answer. */
function changedDocuments(then: Manifest, now: Manifest): ReplayDifference[] {
  const before = new Map(then.documents.map(({ path, sha256 }) => [path, sha256]));
  const after = new Map(now.documents.map(({ path, sha256 }) => [path, sha256]));
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort();
  return paths.flatMap((name): ReplayDifference[] => {
    const [old, current] = [before.get(name), after.get(name)];
    return old === current
      ? []
      : [{ kind: 'document', name, then: describeHash(old), now: describeHash(current) }];
  });
}

/** Without the manifest of then: by the sections that the answer was made from. */
function changedSections({ units }: AuditRecord, index: SopIndex): ReplayDifference[] {
  const now = new Map(
    index.documents.flatMap(({ contexts }) => contexts.map(({ id, sha256 }) => [id, sha256] as const)),
  );
  return units.flatMap(({ id, sha256, version, document }): ReplayDifference[] => {
    if (now.get(id) === sha256) return [];
    const then =
      `${document ?? ''}${version === undefined ? '' : ` version ${version}`} ${describeHash(sha256)}`.trim();
    return [{ kind: 'section', name: id, then, now: describeHash(now.get(id)) }];
  });
}

function describeHash(sha256: string | undefined): string {
  return sha256 === undefined ? 'not in the index' : `sha256 ${sha256.slice(0, 12)}`;
}
