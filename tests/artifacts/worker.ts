import { createHash, randomInt } from 'node:crypto'
import { flushCompileCache } from 'node:module'
import { setTimeout as pause } from 'node:timers/promises'
import type { ReflectionId } from '@parley/contracts'
import { openLearning } from '@parley/postgres'
import { type ArtifactStore, rebuildVoice } from '@parley/reflections'

/** Builds without end, several at once, each as slow as chance will have it and some of them wrong; to be killed. */
const [databaseUrl = '', reflectionId = ''] = process.argv.slice(2)
const { artifacts: store } = openLearning({ databaseUrl })
// Else Node keeps what it compiled only when a process ends by itself, and each would compile all of it again.
flushCompileCache()

const LANES = 4
const LONGEST_MS = 60
const ONE_IN = 4

const untimely: Omit<ArtifactStore, 'requestMissingBuilds'> = {
  begin: (id) => store.begin(id),
  serving: (id) => store.serving(id),
  async confirm(build, artifacts) {
    await pause(randomInt(LONGEST_MS))
    return store.confirm(build, artifacts)
  },
  async addCandidate(build, artifacts) {
    await pause(randomInt(LONGEST_MS))
    const { public_standard: pack, ...packs } = artifacts.prompt_packs
    const wrong = { ...artifacts, prompt_packs: { ...packs, public_standard: { ...pack, prompt: 'Hello' } } }
    return store.addCandidate(build, randomInt(ONE_IN) === 0 ? wrong : artifacts)
  },
  async settle(build, verdict) {
    await pause(randomInt(LONGEST_MS))
    return store.settle(build, verdict)
  },
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

async function buildOn(): Promise<never> {
  for (;;) process.stdout.write(`${await rebuildVoice(reflectionId as ReflectionId, untimely, sha256)}\n`)
}
await Promise.all(Array.from({ length: LANES }, buildOn))
