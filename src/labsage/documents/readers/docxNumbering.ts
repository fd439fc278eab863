/** A DOCX's numbering part in; a counter that gives each list paragraph the label that Word shows out. */

import { leftOf } from './docxStyles.js';
import { numberAs } from './htmlElements.js';
import { childOf, childrenOf, isOn, valueOf, type XmlElement } from './xmlTree.js';

interface NumberLevel {
  readonly format: string;
  /** `%1.%2`, or a bullet's sign. */
  readonly text: string;
  readonly start: number;
  /** Level after which it starts anew, 1-based; 0: never. */
  readonly restart: number | undefined;
  /** All its numbers are shown as digits. */
  readonly legal: boolean;
  readonly left: number | undefined;
  /** The style whose paragraphs count here. */
  readonly style: string | undefined;
}

export interface ListLabel {
  /** As shown, `-` for bullets, empty for levels that show nothing. */
  readonly text: string;
  readonly left: number | undefined;
}

export interface DocxNumbering {
  /** Counts one paragraph on. Undefined for an id that is not defined. */
  next(numberId: string, level: number): ListLabel | undefined;
  /** Which level of a list a style's paragraphs have. */
  levelOfStyle(numberId: string, styleId: string): number | undefined;
}

/** Levels of one list, as Word has them. */
const LEVELS = 9;

export function readNumbering(part: XmlElement | undefined): DocxNumbering {
  const abstracts = new Map(
    childrenOf(part, 'abstractNum').map((element) => [element.attributes['abstractNumId'] ?? '', element]),
  );
  const nums = new Map(
    childrenOf(part, 'num').map((element) => [element.attributes['numId'] ?? '', element]),
  );
  const byStyleLink = new Map(
    [...abstracts].flatMap(([id, element]) =>
      valueOf(element, 'styleLink') === undefined ? [] : [[valueOf(element, 'styleLink') ?? '', id] as const],
    ),
  );
  // Lists with one abstract definition count on together.
  const counts = new Map<string, (number | undefined)[]>();
  const started = new Set<string>();

  const abstractIdOf = (numberId: string): string | undefined => {
    const id = valueOf(nums.get(numberId), 'abstractNumId');
    const link = id === undefined ? undefined : valueOf(abstracts.get(id), 'numStyleLink');
    return link === undefined ? id : (byStyleLink.get(link) ?? id);
  };

  const levelOf = (numberId: string, level: number): NumberLevel | undefined => {
    const override = childrenOf(nums.get(numberId), 'lvlOverride').find(
      (element) => element.attributes['ilvl'] === String(level),
    );
    const own = childOf(override, 'lvl');
    const base = childrenOf(abstracts.get(abstractIdOf(numberId) ?? ''), 'lvl').find(
      (element) => element.attributes['ilvl'] === String(level),
    );
    const element = own ?? base;
    if (element === undefined) return undefined;
    const restart = valueOf(element, 'lvlRestart');
    return {
      format: valueOf(element, 'numFmt') ?? 'decimal',
      text: valueOf(element, 'lvlText') ?? '',
      start: Number(valueOf(override, 'startOverride') ?? valueOf(element, 'start') ?? 1) || 0,
      restart: restart === undefined ? undefined : Number(restart),
      legal: isOn(element, 'isLgl'),
      left: leftOf(childOf(element, 'pPr')),
      style: valueOf(element, 'pStyle'),
    };
  };

  const next = (numberId: string, level: number): ListLabel | undefined => {
    const abstractId = abstractIdOf(numberId);
    const definition = level >= 0 && level < LEVELS ? levelOf(numberId, level) : undefined;
    if (abstractId === undefined || definition === undefined) return undefined;
    const count = counts.get(abstractId) ?? [];
    counts.set(abstractId, count);
    restartOverridden(numberId, count);
    count[level] = count[level] === undefined ? definition.start : (count[level] ?? 0) + 1;
    for (let deeper = level + 1; deeper < LEVELS; deeper += 1) {
      const restart = levelOf(numberId, deeper)?.restart;
      if (restart === undefined || (restart > 0 && level < restart)) count[deeper] = undefined;
    }
    if (definition.format === 'bullet') return { text: '-', left: definition.left };
    if (definition.format === 'none')
      return {
        text: definition.text.includes('%') ? '' : definition.text.trim(),
        left: definition.left,
      };
    const text = definition.text.replace(/%([1-9])/g, (_, digit: string) => {
      const shown = Number(digit) - 1;
      const outer = levelOf(numberId, shown);
      const value = count[shown] ?? outer?.start ?? 1;
      if (count[shown] === undefined && shown < level) count[shown] = value;
      return formatted(value, definition.legal ? 'decimal' : (outer?.format ?? 'decimal'));
    });
    return { text: text.trim(), left: definition.left };
  };

  /** `startOverride` takes effect where its list is used for the first time. */
  const restartOverridden = (numberId: string, count: (number | undefined)[]): void => {
    if (started.has(numberId)) return;
    started.add(numberId);
    for (const override of childrenOf(nums.get(numberId), 'lvlOverride')) {
      if (childOf(override, 'startOverride') !== undefined)
        count[Number(override.attributes['ilvl'] ?? 0)] = undefined;
    }
  };

  const levelOfStyle = (numberId: string, styleId: string): number | undefined => {
    for (let level = 0; level < LEVELS; level += 1)
      if (levelOf(numberId, level)?.style === styleId) return level;
    return undefined;
  };

  return { next, levelOfStyle };
}

function formatted(value: number, format: string): string {
  switch (format) {
    case 'lowerLetter':
      return numberAs(value, 'a');
    case 'upperLetter':
      return numberAs(value, 'A');
    case 'lowerRoman':
      return numberAs(value, 'i');
    case 'upperRoman':
      return numberAs(value, 'I');
    case 'decimalZero':
      return String(value).padStart(2, '0');
    default:
      return String(value);
  }
}
