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
  /** The extras that did not load in time. */
  readonly missed: readonly ExtraName[]
  readonly warnings: readonly SessionWarning[]
}

/** The time for each extra. A credential has no limit of its own. */
export const EXTRAS_MS = 3_000

/** The plan with its surface: `memory` for a returning person, if their earlier sessions can be read in time. */
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

/** Loads the optional variables of a session. Those that do not load in time are left out and reported. */
export async function buildSessionDynamicExtras(
  { reflection, plan, sources }: ExtrasOf,
  { wait, sha256 }: { readonly wait: Wait; readonly sha256: Sha256 },
  signal: AbortSignal,
): Promise<LoadedExtras> {
  // The generic agent gets the most variables; those that the actual agent does not get are left out later.
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
