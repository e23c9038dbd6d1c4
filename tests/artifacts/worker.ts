import { randomInt } from 'node:crypto'
import { flushCompileCache } from 'node:module'
import { setTimeout as pause } from 'node:timers/promises'
import type { ReflectionId } from '@parley/contracts'
import { openLearning } from '@parley/postgres'
import { type ArtifactStore, rebuildVoice } from '@parley/reflections'
import { sha256 } from '../../apps/api/src/node-host.ts'
import { readInput } from '../support/child-process.ts'

export interface BuilderInput {
  readonly databaseUrl: string
  readonly reflectionId: ReflectionId
}

/** Runs builds in parallel until it is killed, with random delays and some invalid artifacts. */
const { databaseUrl, reflectionId } = readInput() as BuilderInput
const { artifacts: store } = openLearning({ databaseUrl })
// Otherwise Node stores compiled code only on a normal exit, and every process compiles it again.
flushCompileCache()

const LANES = 4
const LONGEST_MS = 60
const ONE_INVALID_IN = 4

const slowStore: Omit<ArtifactStore, 'requestMissingBuilds'> = {
  begin: (id) => store.begin(id),
  findPromoted: (id) => store.findPromoted(id),
  async confirm(build, artifacts) {
    await pause(randomInt(LONGEST_MS))
    return store.confirm(build, artifacts)
  },
  async addCandidate(build, artifacts) {
    await pause(randomInt(LONGEST_MS))
    const { public_standard: pack, ...packs } = artifacts.prompt_packs
    const invalid = {
      ...artifacts,
      prompt_packs: { ...packs, public_standard: { ...pack, prompt: 'Hello' } },
    }
    return store.addCandidate(build, randomInt(ONE_INVALID_IN) === 0 ? invalid : artifacts)
  },
  async finish(build, verdict) {
    await pause(randomInt(LONGEST_MS))
    return store.finish(build, verdict)
  },
}

async function buildForever(): Promise<never> {
  for (;;) process.stdout.write(`${await rebuildVoice(reflectionId, slowStore, sha256)}\n`)
}
await Promise.all(Array.from({ length: LANES }, buildForever))
