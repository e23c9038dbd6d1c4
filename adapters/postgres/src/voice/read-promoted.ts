import type { Audience, ReflectionId, VoiceArtifacts } from '@parley/contracts'
import type { PromotedArtifacts } from '@parley/reflections'
import type { Run } from '../queries.ts'

/** What serves an audience for a reflection, with the rights of whoever asks. */
export async function readPromoted(
  run: Run,
  reflectionId: ReflectionId,
  audience: Audience,
  signal?: AbortSignal,
): Promise<PromotedArtifacts | undefined> {
  const [row] = await run<PromotedRow>(READ_PROMOTED, [reflectionId, TOLD_TO[audience]], signal)
  return row && { generation: row.generation, artifacts: row.payload }
}

interface PromotedRow {
  readonly generation: number
  /** Only what was found to be of its schema is ever promoted. */
  readonly payload: VoiceArtifacts
}

/** As `told_to` names them. */
const TOLD_TO: Readonly<Record<Audience, readonly string[]>> = {
  private: ['all', 'members'],
  public: ['all'],
}

const READ_PROMOTED = {
  name: 'read_promoted',
  text: `select a.generation, a.payload from voice_runtime v
    join voice_artifacts a on a.reflection_id = v.reflection_id and a.generation = v.generation
    join reflections r on r.id = v.reflection_id and r.removed_at is null
    where v.reflection_id = $1 and told_to(v.reflection_id, a.payload) = any($2::text[]) and a.payload is not null`,
}
