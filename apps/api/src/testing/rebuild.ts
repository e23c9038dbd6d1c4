import { createHash } from 'node:crypto'
import type { ReflectionId } from '@parley/contracts'
import { openLearning } from '@parley/postgres'
import { rebuildVoice } from '@parley/voice'

/** Builds and promotes what speaks for a reflection, as a worker would. */
export async function rebuild(databaseUrl: string, reflectionId: ReflectionId): Promise<void> {
  const learning = openLearning({ databaseUrl })
  try {
    await rebuildVoice(reflectionId, learning.artifacts, sha256)
  } finally {
    await learning.close()
  }
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
