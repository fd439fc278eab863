/** Nothing in, an index of a few controlled SOPs out: what the tests of document control share. */

import { join } from 'node:path';
import { openSopIndex, type SopIndex } from '../../../src/labsage/sopIndex.js';
import { inTemporaryFolder, writeFiles } from '../../temporaryFolder.js';
import { build } from '../builtIndex.js';

export const TODAY = '2026-11-30';

export interface ControlFields {
  readonly number: string;
  readonly title: string;
  readonly version: string;
  readonly effective?: string;
  readonly review?: string;
  readonly owner?: string;
  readonly status?: string;
  readonly sections: Readonly<Record<string, string>>;
}

export function controlledSop({ number, title, sections, ...control }: ControlFields): string {
  const rows = [
    ['Document number', number],
    ['Version', control.version],
    ['Status', control.status],
    ['Effective date', control.effective],
    ['Review by', control.review],
    ['Owner', control.owner],
  ].flatMap(([key, value]) => (value === undefined ? [] : [`| ${key ?? ''} | ${value} |`]));
  const body = Object.entries(sections).map(([heading, words]) => `## ${heading}\n\n${words}\n`);
  return `# ${title}\n\n| Item | Entry |\n|---|---|\n${rows.join('\n')}\n\n${body.join('\n')}`;
}

export const SOPS: Readonly<Record<string, string>> = {
  'chemistry/CH-100-ammonia.md': controlledSop({
    number: 'CH-100',
    title: 'Plasma Ammonia',
    version: '2.0',
    effective: '2026-03-01',
    review: '2028-02-28',
    owner: 'Ada Byron, Chemistry Lead',
    sections: {
      Specimen: 'Put the tube into ice slurry at once. Spin for 8 minutes at 4 °C. Form GEN-F-001 is used.',
      Reagents: 'The reagent contains sodium azide.',
    },
  }),
  'chemistry/CH-200-lithium.md': controlledSop({
    number: 'CH-200',
    title: 'Serum Lithium',
    version: '1.0',
    effective: '2023-01-10',
    review: '2025-01-10',
    owner: 'Ada Byron, Chemistry Lead',
    sections: {
      Specimen: 'Serum only; never a heparin tube. See CH-100 for the centrifuge.',
      Results: 'Critical above 1.5 mmol/L.',
    },
  }),
  'hematology/HE-300-aptt.md': controlledSop({
    number: 'HE-300',
    title: 'Activated Partial Thromboplastin Time',
    version: '4.0',
    effective: '2025-06-02',
    review: '2027-01-15',
    owner: 'Grace Murray, Hematology Lead',
    sections: {
      Principle: 'Calcium chloride starts the clot. Heparin prolongs the time on the CS-5100.',
      Results: 'There is no critical value.',
    },
  }),
  'hematology/old/HE-300-aptt-v3.md': controlledSop({
    number: 'HE-300',
    title: 'Activated Partial Thromboplastin Time',
    version: '3.0',
    effective: '2022-01-01',
    status: 'SUPERSEDED by version 4.0',
    sections: { Principle: 'Calcium chloride starts the clot. Cephalin is the activator.' },
  }),
  'hematology/HE-400-esr.md': controlledSop({
    number: 'HE-400',
    title: 'Erythrocyte Sedimentation Rate',
    version: '5.0',
    effective: '2027-02-01',
    sections: { Principle: 'Cells settle in a tube.' },
  }),
};

/** The index is closed and gone afterwards. */
export async function withControlledIndex<Result>(
  work: (index: SopIndex, folder: string) => Promise<Result>,
  sops: Readonly<Record<string, string>> = SOPS,
): Promise<Result> {
  return inTemporaryFolder(async (folder) => {
    await build(await writeFiles(join(folder, 'sops'), sops), join(folder, 'index'));
    const index = await openSopIndex(join(folder, 'index'));
    try {
      return await work(index, folder);
    } finally {
      await index.close();
    }
  });
}
