import type { HealthCharts, HealthSeries } from '@parley/contracts'
import { addSpreads, NOTHING_TIMED, type Spread, type SummedSample, withinMs } from '@parley/postgres'

/** The lines that are drawn of what was counted, each with a value for every piece of the time. */
export function chartsOf(samples: readonly SummedSample[], pieces: number): HealthCharts {
  const of = (what: SummedSample['what']) => samples.filter((sample) => sample.what === what)
  const requests = of('request')
  return {
    requests: counted(requests, ({ label }) => answeredOf(label), pieces, ['answered', 'refused', 'failed']),
    responseMs: timed(requests, pieces),
    turns: counted(of('turn'), ({ label }) => endingOf(label), pieces, ['completed', 'cancelled', 'failed']),
    firstWordMs: timed(of('model'), pieces),
    cost: summed(of('cost'), pieces),
    sessions: counted(of('session'), ({ label }) => label, pieces, ['text', 'voice']),
    retrievalMs: timed(of('retrieval'), pieces),
  }
}

/** By the last word of a request's label, which is the class of its status. */
const answeredOf = (label: string) =>
  label.endsWith(' 5xx') ? 'failed' : label.endsWith(' 4xx') ? 'refused' : 'answered'

const ENDINGS: Readonly<Record<string, string>> = {
  completed: 'completed',
  max_tokens: 'completed',
  cancelled: 'cancelled',
}
const endingOf = (label: string) => ENDINGS[label] ?? 'failed'

/** Nothing was counted is nought of it: who counts was there. */
function counted(
  samples: readonly SummedSample[],
  labelOf: (sample: SummedSample) => string,
  pieces: number,
  labels: readonly string[],
): HealthSeries[] {
  return labels.map((label) => {
    const values = Array.from({ length: pieces }, () => 0)
    for (const sample of samples) {
      if (labelOf(sample) === label) values[sample.piece] = (values[sample.piece] ?? 0) + sample.count
    }
    return { label, values: values.slice(0, pieces) }
  })
}

function summed(samples: readonly SummedSample[], pieces: number): HealthSeries[] {
  const labels = [...new Set(samples.map(({ label }) => label))].toSorted()
  return labels.map((label) => {
    const values = Array.from({ length: pieces }, () => 0)
    for (const sample of samples) {
      if (sample.label === label) values[sample.piece] = (values[sample.piece] ?? 0) + sample.sum
    }
    return { label, values: values.slice(0, pieces) }
  })
}

const SHARES = [
  { label: 'half took at most', share: 0.5 },
  { label: '95% took at most', share: 0.95 },
] as const

function timed(samples: readonly SummedSample[], pieces: number): HealthSeries[] {
  const spreads = Array.from({ length: pieces }, (): Spread => NOTHING_TIMED)
  for (const { piece, spread } of samples)
    spreads[piece] = addSpreads(spreads[piece] ?? NOTHING_TIMED, spread)
  return SHARES.map(({ label, share }) => ({
    label,
    values: spreads.slice(0, pieces).map((spread) => withinMs(spread, share) ?? null),
  }))
}
