/** Stated confidences and whether they were right → reliability bins, expected calibration error and Brier score. */

export interface Prediction {
  /** In [0, 1]. */
  readonly confidence: number;
  readonly correct: boolean;
}

/** Predictions with a confidence in (low, high]; the first bin takes 0 too. The means of an empty bin are undefined. */
export interface ReliabilityBin {
  readonly low: number;
  readonly high: number;
  readonly count: number;
  readonly meanConfidence: number | undefined;
  /** Share of correct predictions. */
  readonly accuracy: number | undefined;
}

export interface BinOptions {
  /** Bins of equal width; a whole number ≥ 1, default 10. */
  readonly bins?: number;
}

/** What a reliability diagram shows, lowest bin first; empty bins are kept. */
export function reliabilityBins(
  predictions: readonly Prediction[],
  { bins = 10 }: BinOptions = {},
): ReliabilityBin[] {
  if (!Number.isInteger(bins) || bins < 1)
    throw new RangeError(`bins must be a whole number ≥ 1, not ${bins}`);
  const members: Prediction[][] = Array.from({ length: bins }, () => []);
  for (const prediction of predictions) members[binOf(prediction.confidence, bins)]?.push(prediction);
  return members.map((inBin, at) => ({
    low: at / bins,
    high: (at + 1) / bins,
    count: inBin.length,
    meanConfidence: mean(inBin.map(({ confidence }) => confidence)),
    accuracy: mean(inBin.map(toOutcome)),
  }));
}

/**
 * |accuracy − mean confidence| of each bin, weighted by its share of the predictions (C. Guo et al., "On calibration
 * of modern neural networks", 2017, equation 5). In [0, 1], 0 is best; undefined without predictions.
 */
export function expectedCalibrationError(
  predictions: readonly Prediction[],
  options: BinOptions = {},
): number | undefined {
  const bins = reliabilityBins(predictions, options);
  if (predictions.length === 0) return undefined;
  return bins.reduce((sum, { count, accuracy = 0, meanConfidence = 0 }) => {
    return sum + (count / predictions.length) * Math.abs(accuracy - meanConfidence);
  }, 0);
}

/** Mean squared distance of confidence and outcome (G. Brier, 1950). In [0, 1], 0 is best; undefined without predictions. */
export function brierScore(predictions: readonly Prediction[]): number | undefined {
  return mean(
    predictions.map((prediction) => {
      checkConfidence(prediction.confidence);
      return (prediction.confidence - toOutcome(prediction)) ** 2;
    }),
  );
}

/** Multiplying can round a confidence over its bin's upper edge, so the edge itself is compared. */
function binOf(confidence: number, bins: number): number {
  checkConfidence(confidence);
  const bin = Math.max(0, Math.ceil(confidence * bins) - 1);
  return bin > 0 && confidence <= bin / bins ? bin - 1 : bin;
}

function checkConfidence(confidence: number): void {
  if (!(confidence >= 0 && confidence <= 1))
    throw new RangeError(`a confidence is in [0, 1], not ${confidence}`);
}

function toOutcome({ correct }: Prediction): number {
  return correct ? 1 : 0;
}

function mean(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
}
