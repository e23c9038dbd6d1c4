import { z } from 'zod'
import { NamespaceName } from './reflection.ts'

const Count = z.int().min(0)

/** How much there is of a reflection, at a glance. */
export const ReflectionSummary = z.object({
  /** `busy` are those that wait or are worked on, `wrong` those of which nothing could be learned. */
  sources: z.object({ learned: Count, busy: Count, wrong: Count }),
  /** Patches that wait for a person. */
  waiting: Count,
  /** Of each namespace: its sources, learned or busy, and its facts, each once. Publishing previews the same ones. */
  namespaces: z.array(z.object({ name: NamespaceName, sources: Count, facts: Count })),
})
export type ReflectionSummary = z.infer<typeof ReflectionSummary>
