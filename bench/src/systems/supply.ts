import type { BenchSession, BenchSystem } from './system.ts'

/** Supplies sessions of about this many messages. A session is reused until it has grown by a fifth. */
export function createSessionSupply(system: BenchSystem, messages: number): () => Promise<BenchSession> {
  const uses = Math.max(1, Math.floor(messages / 10))
  let current: BenchSession | undefined
  let left = 0
  return async () => {
    if (!current || left === 0) {
      current = await grownSession(system, messages)
      left = uses
    }
    left -= 1
    return current
  }
}

async function grownSession(system: BenchSystem, messages: number): Promise<BenchSession> {
  const session = await system.start()
  for (let stored = 0; stored < messages; stored += 2) await session.turn()
  return session
}
