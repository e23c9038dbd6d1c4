import type { SessionWarning } from '@parley/contracts'
import type { Sha256 } from '../artifacts/content-hash.ts'
import type { Extras } from '../variables/build-dynamic-variables.ts'
import { extrasFor } from '../variables/variable-matrix.ts'
import type { ExtraName } from '../variables/variable-name.ts'
import type { VariableValue } from '../variables/variable-value.ts'
import type { ExtraSources, ExtrasOf } from './extras-of.ts'
import { type SessionPlan, surfaceFor } from './plan-session.ts'
import { EXTRA_VALUES } from './extra-values.ts'
import { type Wait, withinDeadline } from './within-deadline.ts'

export interface LoadedExtras {
  readonly known: Extras
  /** What could not be had in time. */
  readonly missed: readonly ExtraName[]
  readonly warnings: readonly SessionWarning[]
}

/** How long an extra is waited for, while a credential takes as long as it takes. */
export const EXTRAS_MS = 3_000

/** The plan with its surface settled: who was here before meets another one. Where that cannot be read in time, nobody was. */
export async function settleSurface(
  { plan, sources }: { readonly plan: SessionPlan; readonly sources: Pick<ExtraSources, 'wasHere'> },
  wait: Wait,
  signal: AbortSignal,
): Promise<SessionPlan> {
  if (plan.audience === 'public') return plan
  const wasHere = await withinDeadline(sources.wasHere, EXTRAS_MS, wait, signal).catch(
    () => 'failed' as const,
  )
  return { ...plan, surface: surfaceFor({ audience: plan.audience, hasEarlier: wasHere === true }) }
}

/** All that a session may be told beyond what it always is. What cannot be had in time is left out, and named. */
export async function buildSessionDynamicExtras(
  { reflection, plan, sources }: ExtrasOf,
  { wait, sha256 }: { readonly wait: Wait; readonly sha256: Sha256 },
  signal: AbortSignal,
): Promise<LoadedExtras> {
  // A generic agent may be told the most; what the one that speaks may not have is left out afterwards.
  const names = extrasFor({ ...plan, agent: 'generic' })
  const load = async (within: AbortSignal, name: ExtraName) =>
    EXTRA_VALUES[name]({ reflection, plan, sources, sha256, signal: within })
  const loaded = await Promise.all(
    names.map(async (name) => {
      const value = await withinDeadline((within) => load(within, name), EXTRAS_MS, wait, signal).catch(
        () => 'failed' as const,
      )
      return { name, value }
    }),
  )
  const known: Partial<Record<ExtraName, VariableValue>> = {}
  const missed: ExtraName[] = []
  for (const { name, value } of loaded) {
    if (typeof value === 'string') missed.push(name)
    else if (value) known[name] = value
  }
  return { known, missed, warnings: missed.length === 0 ? [] : [partial(missed)] }
}

const partial = (missed: readonly string[]): SessionWarning => ({
  code: 'session_dynamic_variables_partial',
  message: `Started without ${missed.join(', ')}, which could not be loaded.`,
})
